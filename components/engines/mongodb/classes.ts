// Every parameter of MongoDB by its class, with the reason. Of MongoDB's own list only those that are known here can be set: what they must be,
// and which need a restart, is in known-parameters.ts; a test holds both against each other.
import type { ParameterKind } from "./values";
import { groupsByName, type ParameterBound, type ParameterGroup } from "../parameter-classes";

/** Those that decide whether members find and trust each other, or where their data are, and all that can be set. */
export const groups: readonly ParameterGroup[] = [
  {
    class: "owned",
    reason: "the Services and the members need it as it is; remove it",
    names: "net.port net.bindIp net.bindIpAll net.ipv6 net.unixDomainSocket.*",
  },
  { class: "owned", reason: "connections are not encrypted by this operator; remove it", names: "net.tls.*" },
  {
    class: "owned",
    reason: "the server reads it on an empty volume only; run replSetResizeOplog instead",
    names: "replication.oplogSizeMB",
  },
  {
    class: "owned",
    reason: "the members agree on it among themselves; remove it",
    names: "replication.* sharding.*",
  },
  {
    class: "locksOut",
    reason: "the members' trust depends on it; remove it",
    names: `security.keyFile* security.authorization* security.clusterAuthMode* security.transitionToAuth* security.ldap*
      security.kmip* security.redact* enableLocalhostAuthBypass authenticationMechanisms enableTestCommands`,
  },
  {
    class: "losesData",
    reason: "existing data depend on it; remove it",
    names: `storage.dbPath* storage.engine* storage.directoryPerDB* storage.journal* storage.inMemory*
      storage.wiredTiger.engineConfig.directoryForIndexes`,
  },
  {
    class: "owned",
    reason: "logs go to the container's output; remove it",
    names: "systemLog.destination systemLog.path systemLog.logAppend systemLog.logRotate systemLog.syslogFacility",
  },
  {
    class: "owned",
    reason: "it has no effect in a container; remove it",
    names: "processManagement.* auditLog.* snmp.* cloud.*",
  },
  { class: "owned", reason: "write the parameter's name alone, without setParameter", names: "setParameter.*" },
  {
    class: "owned",
    reason: "the members set it; remove it",
    names: "shutdownTimeoutMillisForSignaledShutdown featureCompatibilityVersion",
  },
  {
    class: "locksOut",
    reason: "queries of the members' own programs scan collections, and those of the server itself too; remove it",
    names: "notablescan",
  },
  {
    class: "safe",
    reason: "connections and sessions",
    names: `net.maxIncomingConnections connPoolMaxConnsPerHost localLogicalSessionTimeoutMinutes maxSessions
      cursorTimeoutMillis maxTransactionLockRequestTimeoutMillis transactionLifetimeLimitSeconds`,
  },
  {
    class: "safe",
    reason: "queries and index builds",
    names: `allowDiskUseByDefault internalQueryMaxBlockingSortMemoryUsageBytes maxIndexBuildMemoryUsageMegabytes
      maxNumActiveUserIndexBuilds security.javascriptEnabled ttlMonitorEnabled ttlMonitorSleepSecs`,
  },
  {
    class: "safe",
    reason: "storage: what a majority confirmed is in the journals of a majority in any case",
    names: `journalCommitInterval syncdelay minSnapshotHistoryWindowInSeconds storage.oplogMinRetentionHours
      storage.wiredTiger.collectionConfig.blockCompressor storage.wiredTiger.engineConfig.cacheSizeGB
      storage.wiredTiger.engineConfig.journalCompressor storage.wiredTiger.engineConfig.zstdCompressionLevel
      storage.wiredTiger.indexConfig.prefixCompression`,
  },
  {
    class: "safe",
    reason: "replication",
    names: "enableFlowControl flowControlTargetLagSeconds periodicNoopIntervalSecs replWriterThreadCount",
  },
  {
    class: "safe",
    reason: "what the server says of itself",
    names: `diagnosticDataCollectionEnabled logLevel systemLog.quiet systemLog.verbosity operationProfiling.mode
      operationProfiling.slowOpSampleRate operationProfiling.slowOpThresholdMs`,
  },
];

/** The group of a parameter. */
export const groupOf = groupsByName(groups);

/** Values that are refused though the server takes them. */
export const bounds: ReadonlyMap<string, ParameterBound<ParameterKind>> = new Map(
  Object.entries<ParameterBound<ParameterKind>>({
    "net.maxIncomingConnections": {
      class: "locksOut",
      reason: "members, their agents and backups need connections, too",
      within: { min: 50 },
    },
    maxSessions: {
      class: "locksOut",
      reason: "every connection of a driver has sessions, those of the members' own programs included",
      within: { min: 1_000 },
    },
    cursorTimeoutMillis: {
      class: "locksOut",
      reason: "backups could not continue between two batches",
      within: { min: 10_000 },
    },
  }),
);
