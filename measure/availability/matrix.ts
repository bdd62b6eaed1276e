// What is measured: which fault, with or without an operator, with which replication; and the goals.
import type { Replication, TestedEngine } from "./engines/engine";
import { mysql } from "./engines/mysql";
import { postgresql } from "./engines/postgresql";
import { faultNames, faults, type FaultName } from "./faults/list";

export const engines = { postgresql, mysql } as const satisfies Readonly<Record<string, TestedEngine>>;
export type EngineName = keyof typeof engines;
const isMeasuredEngine = (name: string): name is EngineName => Object.hasOwn(engines, name);
export const engineNames: readonly EngineName[] = Object.keys(engines).filter(isMeasuredEngine);

/** Whether an operator runs while the fault strikes. */
export const modes = ["operator running", "operator stopped"] as const;
export type Mode = (typeof modes)[number];

/** One line of results: tries of one kind. */
export interface Cell {
  readonly engine: EngineName;
  readonly replication: Replication;
  readonly mode: Mode;
  readonly fault: FaultName;
}

/** Faults that are measured with every replication and in both modes; the others in the pairs below. */
const inFull: readonly FaultName[] = ["kill", "pod-deletion"];

/** Asynchronous with an operator and synchronous without one: each choice is seen, and a whole run stays below an hour. */
const pairs: Readonly<Record<Replication, readonly Mode[]>> = {
  asynchronous: ["operator running"],
  synchronous: ["operator stopped"],
  group: modes,
};

/** All cells of an engine, those with one replication and one mode together. */
export function cellsOf(name: EngineName): readonly Cell[] {
  return engines[name].replications.flatMap((replication) =>
    modes.flatMap((mode) =>
      faultNames
        .filter((fault) => isMeasured(fault, replication, mode))
        .map((fault) => ({ engine: name, replication, mode, fault })),
    ),
  );
}

/** Faults that take long and show little more with other replications. */
const onlyWith: Partial<Readonly<Record<FaultName, readonly Replication[]>>> = {
  "minor-upgrade": ["asynchronous", "group"],
  "cut-off-members": ["synchronous", "group"],
  "cut-off-api": ["synchronous", "group"],
  "api-frozen": ["synchronous", "group"],
};

/** Faults in which an operator has no part at all: a choice of modes would show nothing, and they take long. */
const withoutOperator: readonly FaultName[] = [
  "agent-frozen",
  "cut-off",
  "cut-off-members",
  "cut-off-api",
  "api-frozen",
];

function isMeasured(fault: FaultName, replication: Replication, mode: Mode): boolean {
  if (replication === "group" && withoutOperator.includes(fault)) return mode === "operator stopped";
  if (onlyWith[fault]?.includes(replication) === false) return false;
  if (faults[fault].needsOperator) return mode === "operator running";
  return inFull.includes(fault) || pairs[replication].includes(mode);
}

/** What is asked of the longest outage of clients; `full` asks for "back by itself" only, `split` for one writable member; a `bystander` is not to be noticed. */
type FaultKind = "sudden" | "planned" | "silent" | "full" | "split" | "bystander";

const kinds: Readonly<Record<FaultName, FaultKind>> = {
  kill: "sudden",
  "pod-deletion": "sudden",
  "kept-away": "silent",
  frozen: "silent",
  "agent-frozen": "split",
  switchover: "planned",
  "rolling-config": "planned",
  "minor-upgrade": "planned",
  "all-pods-deleted": "full",
  "all-killed": "full",
  "cut-off": "split",
  "cut-off-members": "split",
  "cut-off-api": "bystander",
  "api-frozen": "bystander",
};

/** In seconds. */
const goals: Readonly<Record<EngineName, Partial<Readonly<Record<FaultKind, number>>>>> = {
  postgresql: { sudden: 5, planned: 3, silent: 25, bystander: 2 },
  mysql: { sudden: 15, planned: 5, silent: 25, bystander: 2 },
};

/** The longest outage of clients that a fault should bring, in seconds; undefined where none is asked for. */
export const goalSeconds = (engine: EngineName, fault: FaultName): number | undefined => goals[engine][kinds[fault]];

/** In seconds, where no goal says it: how long it takes where all goes well. A member that is cut off is as silent as one that is frozen. */
const usual: Readonly<Record<EngineName, Partial<Readonly<Record<FaultKind, number>>>>> = {
  postgresql: { full: 10, split: 25 },
  mysql: { full: 15, split: 25 },
};

/** In seconds, where a goal is not reached yet: what docs/availability.md shows. */
const notReached: Readonly<Record<EngineName, Partial<Readonly<Record<FaultName, number>>>>> = {
  postgresql: {},
  mysql: {},
};

/** How many times as long an outage may be in a test, whose machine does other work, too. What is not to be noticed has room enough in its goal. */
const toleranceOf = (fault: FaultName): number => (kinds[fault] === "bystander" ? 1 : 3);

/**
 * The longest outage of clients, in seconds, with which a test of a fault passes on a machine of this pace (see load/pace.ts): where programs
 * take longer to start than the tolerance allows for, so do servers. Throws where it is not known what to expect.
 */
export function boundSeconds(engine: EngineName, fault: FaultName, pace = 1): number {
  const expected = notReached[engine][fault] ?? goalSeconds(engine, fault) ?? usual[engine][kinds[fault]];
  if (expected === undefined) throw new Error(`there is no bound for ${fault} of ${engine}`);
  return Math.max(toleranceOf(fault), pace) * expected;
}

/** Whether two members may never accept writes at one moment: that is what these faults are for. */
export const isAboutSplits = (fault: FaultName): boolean => ["split", "bystander"].includes(kinds[fault]);

/** Whether every acknowledged row must be there. With asynchronous replication the last ones may go with a primary that is lost alone. */
export function mustKeepAll({ replication, fault }: Pick<Cell, "replication" | "fault">): boolean {
  return replication !== "asynchronous" || kinds[fault] === "full";
}
