// The parameters of MongoDB 7.0 that can be set, from its documentation ("Configuration File Options", "Server Parameters").
import type { ParameterKind } from "./values";
const boolean = (restart: boolean): ParameterKind => ({ type: "boolean", restart });
const integer = (restart: boolean, min: number, max?: number): ParameterKind => ({
  type: "integer",
  restart,
  min,
  ...(max !== undefined && { max }),
});
const number = (restart: boolean, min: number, max?: number): ParameterKind => ({
  ...integer(restart, min, max),
  type: "number",
  min,
});
const choice = (...values: string[]): ParameterKind => ({ type: "choice", restart: true, values });

const atStart = true;
const running = false;

/** Name to kind. */
export const known: Readonly<Record<string, ParameterKind>> = {
  // options of the configuration file
  "net.maxIncomingConnections": integer(atStart, 1),
  "operationProfiling.mode": choice("off", "slowOp", "all"),
  "operationProfiling.slowOpSampleRate": number(atStart, 0, 1),
  "operationProfiling.slowOpThresholdMs": integer(atStart, 0),
  "security.javascriptEnabled": boolean(atStart),
  "storage.oplogMinRetentionHours": number(atStart, 0),
  "storage.wiredTiger.collectionConfig.blockCompressor": choice("none", "snappy", "zlib", "zstd"),
  "storage.wiredTiger.engineConfig.cacheSizeGB": number(atStart, 0.25, 10_000),
  "storage.wiredTiger.engineConfig.journalCompressor": choice("none", "snappy", "zlib", "zstd"),
  "storage.wiredTiger.engineConfig.zstdCompressionLevel": integer(atStart, 1, 22),
  "storage.wiredTiger.indexConfig.prefixCompression": boolean(atStart),
  "systemLog.quiet": boolean(atStart),
  "systemLog.verbosity": integer(atStart, 0, 5),
  // server parameters that are read at the start
  connPoolMaxConnsPerHost: integer(atStart, 1),
  localLogicalSessionTimeoutMinutes: integer(atStart, 1),
  maxSessions: integer(atStart, 1),
  periodicNoopIntervalSecs: integer(atStart, 1),
  replWriterThreadCount: integer(atStart, 1, 256),
  // server parameters that a running server takes over
  allowDiskUseByDefault: boolean(running),
  cursorTimeoutMillis: integer(running, 1),
  diagnosticDataCollectionEnabled: boolean(running),
  enableFlowControl: boolean(running),
  flowControlTargetLagSeconds: integer(running, 1),
  internalQueryMaxBlockingSortMemoryUsageBytes: integer(running, 1),
  journalCommitInterval: integer(running, 1, 500),
  logLevel: integer(running, 0, 5),
  maxIndexBuildMemoryUsageMegabytes: integer(running, 50),
  maxNumActiveUserIndexBuilds: integer(running, 1),
  maxTransactionLockRequestTimeoutMillis: integer(running, -1),
  minSnapshotHistoryWindowInSeconds: integer(running, 0),
  syncdelay: integer(running, 1, 3_600),
  transactionLifetimeLimitSeconds: integer(running, 1),
  ttlMonitorEnabled: boolean(running),
  ttlMonitorSleepSecs: integer(running, 1),
};

/** By release series. */
export const tables: ReadonlyMap<string, Readonly<Record<string, ParameterKind>>> = new Map([["7.0", known]]);
