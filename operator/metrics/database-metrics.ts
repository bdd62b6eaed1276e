// Gauges of each Database, after kube-state-metrics' example: read from the watch's copies when Prometheus asks, so that one
// that is gone has no series. Only the leader serves them, or each would be counted once per operator.
import type { Registry } from "prom-client";
import type { ObservedDatabase } from "../domain/observed-database";
import { operatorMetrics } from "../../contract/metrics";
import type { Condition, DatabaseStatus, Phase } from "../api/status";
import { valueOf } from "../api/quantity";
import { placeOf, type Key } from "../domain/key";
import { gaugeOf } from "./instruments";

/** What is shown of one Database; what is undefined has no series. */
export interface DatabaseSamples {
  readonly spec: { readonly engine: string; readonly version: string; readonly replicas: number } | undefined;
  readonly phase: Phase | undefined;
  readonly conditions: readonly Pick<Condition, "type" | "status" | "reason">[];
  readonly readyReplicas: number | undefined;
  readonly streamingReplicas: number | undefined;
  /** Of each data volume, in bytes. */
  readonly storage: number | undefined;
  /** Seconds since 1970. */
  readonly lastBackup: number | undefined;
  /** Seconds since 1970. */
  readonly lastVerified: number | undefined;
  /** Until when the certificate of its members is good, in seconds since 1970. */
  readonly certificateExpires: number | undefined;
  /** Seconds. */
  readonly recovery: number | undefined;
  /** A change that waits: since when, in seconds since 1970, and what it does. */
  readonly pending: { readonly since: number; readonly effect: string } | undefined;
}

/** What is shown of a Database. */
export function samplesOf({ parsed, status }: ObservedDatabase): DatabaseSamples {
  const { phase, conditions = [], readyReplicas, streamingReplicas, storage } = status;
  const size = storage?.size ?? (parsed.ok ? parsed.database.spec.storage : undefined);
  return {
    spec: parsed.ok ? parsed.database.spec : undefined,
    phase,
    conditions,
    readyReplicas,
    streamingReplicas,
    storage: size === undefined ? undefined : valueOf(size),
    lastBackup: secondsOf(status.lastBackup?.completedAt),
    lastVerified: secondsOf(status.lastVerifiedBackup?.at),
    certificateExpires: expiryOf(status),
    recovery: status.lastVerifiedBackup?.recoverySeconds,
    pending: pendingOf(status),
  };
}

const expiryOf = ({ tls }: DatabaseStatus): number | undefined => secondsOf(tls?.certificateExpires);

function pendingOf({ pendingChange }: DatabaseStatus): DatabaseSamples["pending"] {
  const since = secondsOf(pendingChange?.since);
  return pendingChange === undefined || since === undefined ? undefined : { since, effect: pendingChange.effect };
}

/** Seconds since 1970 of a time in RFC 3339; undefined for none. */
function secondsOf(time: string | undefined): number | undefined {
  const seconds = Date.parse(time ?? "") / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** The Databases; empty where this operator does not lead. */
export type ReadDatabases = () => Iterable<readonly [Key, ObservedDatabase]>;

/** Registers the gauges. */
export function observeDatabases(registry: Registry, databases: ReadDatabases): void {
  const each = (show: (place: { namespace: string; name: string }, samples: DatabaseSamples) => void): void => {
    for (const [key, database] of databases()) show(placeOf(key), remembered(database));
  };
  gaugeOf(operatorMetrics.databaseInfo, registry, (set) => {
    each((place, { spec }) => {
      if (spec !== undefined) set({ ...place, engine: spec.engine, version: spec.version }, 1);
    });
  });
  gaugeOf(operatorMetrics.databasePhase, registry, (set) => {
    each((place, { phase }) => {
      if (phase !== undefined) set({ ...place, phase }, 1);
    });
  });
  gaugeOf(operatorMetrics.databaseCondition, registry, (set) => {
    each((place, { conditions }) => {
      for (const { type, status, reason } of conditions) set({ ...place, type, status, reason }, 1);
    });
  });
  gaugeOf(operatorMetrics.databasePendingChange, registry, (set) => {
    each((place, { pending }) => {
      if (pending !== undefined) set({ ...place, effect: pending.effect }, pending.since);
    });
  });
  for (const [definition, valueOf] of figures) {
    gaugeOf(definition, registry, (set) => {
      each((place, samples) => {
        const value = valueOf(samples);
        if (value !== undefined) set(place, value);
      });
    });
  }
}

/** Gauges that are a figure of each Database. */
const figures = [
  [operatorMetrics.databaseReplicas, ({ spec }: DatabaseSamples) => spec?.replicas],
  [operatorMetrics.databaseReadyReplicas, ({ readyReplicas }: DatabaseSamples) => readyReplicas],
  [operatorMetrics.databaseStreamingReplicas, ({ streamingReplicas }: DatabaseSamples) => streamingReplicas],
  [operatorMetrics.databaseStorage, ({ storage }: DatabaseSamples) => storage],
  [operatorMetrics.databaseLastBackup, ({ lastBackup }: DatabaseSamples) => lastBackup],
  [operatorMetrics.databaseLastVerified, ({ lastVerified }: DatabaseSamples) => lastVerified],
  [operatorMetrics.databaseCertificateExpires, ({ certificateExpires }: DatabaseSamples) => certificateExpires],
  [operatorMetrics.databaseRecovery, ({ recovery }: DatabaseSamples) => recovery],
] as const;

const known = new WeakMap<ObservedDatabase, DatabaseSamples>();

/** Computed once for each version of an object: of a thousand Databases nearly all are at rest between two scrapes. */
function remembered(database: ObservedDatabase): DatabaseSamples {
  const samples = known.get(database) ?? samplesOf(database);
  known.set(database, samples);
  return samples;
}
