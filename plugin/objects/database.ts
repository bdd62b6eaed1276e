// A Database as verbs read it. Leniently: the operator may be newer or older than the plugin.
import { z } from "zod";
import { engineNames, factsOf } from "../../contract/engines";
import { statusOf } from "../../operator/api/stored-status";
import { reasonsOf, type Reason } from "../../operator/api/reasons";
import type { Condition, ConditionType, DatabaseStatus } from "../../operator/api/status";
import { approvedIn, isPendingUnread, pendingIn, type SeenPending } from "./pending";

const Spec = z.object({
  engine: z.string().default(""),
  version: z.string().default(""),
  replicas: z.number().default(1),
  paused: z.boolean().default(false),
  backup: z.object({ enabled: z.boolean().default(true), schedule: z.string().default("") }).prefault({}),
});

const Whole = z.object({
  metadata: z.object({
    ...{ name: z.string(), namespace: z.string(), uid: z.string().default("") },
    ...{ generation: z.number().default(0), resourceVersion: z.string().default("") },
    ...{ creationTimestamp: z.string().optional(), deletionTimestamp: z.string().optional() },
  }),
  // another client may have written anything
  spec: z.unknown(),
});

export interface SeenDatabase {
  readonly metadata: z.infer<typeof Whole>["metadata"];
  readonly spec: z.infer<typeof Spec>;
  readonly status: DatabaseStatus;
  /** The change that waits. */
  readonly pending: SeenPending | undefined;
  /** Whether a change waits of which this program cannot read what it is. */
  readonly isPendingUnread: boolean;
  /** Digests of the plans that it carries an approval of. */
  readonly approved: readonly string[];
}

/** Undefined for what is no object with a name. */
export function databaseIn(object: unknown): SeenDatabase | undefined {
  const whole = Whole.safeParse(object).data;
  if (whole === undefined) return undefined;
  const spec = Spec.safeParse(whole.spec).data ?? Spec.parse({});
  return {
    ...{ metadata: whole.metadata, spec, status: statusOf(object) },
    ...{ pending: pendingIn(object), isPendingUnread: isPendingUnread(object), approved: approvedIn(object) },
  };
}

/** The same of what is asked for by its name. Throws for anything else: that is not the Database's absence. */
export function aDatabase(object: unknown): SeenDatabase {
  const database = databaseIn(object);
  if (database === undefined) throw new Error("the API server answered with something that is no Database");
  return database;
}

/** The same; undefined of undefined, where there is none. */
export const databaseIfThere = (object: unknown): SeenDatabase | undefined =>
  object === undefined ? undefined : aDatabase(object);

export const conditionOf = ({ status }: SeenDatabase, type: ConditionType): Condition | undefined =>
  status.conditions?.find((condition) => condition.type === type);

/** Such as `PostgreSQL`; an engine that is not known stays as it is written. */
export function engineTitle(engine: string): string {
  const known = engineNames.find((name) => name === engine);
  return known === undefined ? engine : factsOf(known).title;
}

/** The word in which all of it is said. */
export type State =
  "READY" | "DEGRADED" | "UPDATING" | "WAITING" | "NOT READY" | "STALLED" | "PAUSED" | "DELETING" | "PENDING";

/** What has its word first hides what follows. */
export function stateOf(database: SeenDatabase): State {
  const { metadata, status } = database;
  const is = (type: ConditionType): boolean => conditionOf(database, type)?.status === "True";
  if (metadata.deletionTimestamp !== undefined) return "DELETING";
  if ((status.conditions ?? []).length === 0) return "PENDING";
  if (isPaused(database)) return "PAUSED";
  if (is("Stalled")) return "STALLED";
  return is("Ready") ? workingState(database) : "NOT READY";
}

function workingState(database: SeenDatabase): State {
  if (isWaiting(database) && isSeen(database)) return "WAITING";
  const isChanging = conditionOf(database, "Reconciling")?.status === "True";
  if (isChanging || !isSeen(database)) return "UPDATING";
  return unwell(database).length > 0 ? "DEGRADED" : "READY";
}

/** A pause is a person's wish, and over once that is taken back: Stalled is False then, and tells of it a while longer. */
export const isPaused = (database: SeenDatabase): boolean =>
  database.spec.paused && conditionOf(database, "Stalled")?.reason === paused;
const paused: Reason = "Paused";

/** Whether a change waits for approval or a window, or is held back as it cannot be told what it does. */
export const isWaiting = (database: SeenDatabase): boolean => conditionOf(database, "ChangePending")?.status === "True";

/** Whether what was written last has been looked at. */
export const isSeen = ({ metadata, status }: SeenDatabase): boolean =>
  (status.observedGeneration ?? 0) >= metadata.generation;

/** Those that are bad when they are True. */
const inverse: ReadonlySet<ConditionType> = new Set<ConditionType>(["Reconciling", "Stalled", "ChangePending"]);
const failures: ReadonlySet<string> = reasonsOf("failure");
/** Of those that say nothing bad while they are not True. */
const harmless: ReadonlySet<string> = new Set([
  ...["BackupDisabled", "BackupScheduled", "NotYetVerified", "ArchivePending", "NoReplicas"],
  ...["MonitoringDisabled", "ServiceMonitorCRDMissing"],
]);

/** The conditions that say that something is wrong or in progress; what waits is told once. */
export const unwell = ({ status }: SeenDatabase): readonly Condition[] =>
  (status.conditions ?? [])
    .filter((one) => (inverse.has(one.type) ? isAtWork(one) : isMissing(one)))
    .filter(({ reason }) => reason !== waits);

/** Of Reconciling, while ChangePending says more. */
const waits: Reason = "ChangePending";

/** Where what is asked for is refused and maintaining the rest fails, Reconciling is False with the reason of that. */
const isAtWork = ({ status, reason }: Condition): boolean =>
  status === "True" || reason === paused || failures.has(reason);
const isMissing = ({ status, reason }: Condition): boolean => status !== "True" && !harmless.has(reason);

/** Conditions that say the same, such as Ready and Reconciling, as one. */
export interface Said {
  readonly types: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** In the order of the first of each. */
export function grouped(conditions: readonly Condition[]): readonly Said[] {
  const groups = new Map<string, Condition[]>();
  for (const one of conditions) {
    const key = `${one.reason} ${one.message}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { reason, message, lastTransitionTime: since } = first;
    return [{ types: all.map(({ type }) => type).join(", "), reason, message, since }];
  });
}
