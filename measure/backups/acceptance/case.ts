// A case of acceptance: what backups promise, and what holds it.
import type { GroupName } from "../../../test/runner/groups";
import type { Kill, ScenarioName, StepName } from "../scenarios";

/** What shows that a promise holds, or a part of it. */
export type Holder = Told | Proven | Measured;

/** A test, by its file below the root and its name as the source has it. */
interface Told {
  readonly kind: "test";
  readonly file: string;
  readonly test: string;
  /** With real servers; else on simulated nodes, or of parts. */
  readonly isReal: boolean;
  /** What gets SIGKILL in it. */
  readonly killed: readonly Killed[];
  /** The group of the rotation that it is in, whose last success is on record; undefined: it runs with each `make test`, and no result of its own is kept. */
  readonly group?: GroupName;
  /** When it came into its group, RFC 3339: of runs before that the record says nothing about it. Default: it was always in it. */
  readonly since?: string;
}

type Killed = Exclude<Kill, "nothing">;

/** A case of docs/reliability.md. */
interface Proven {
  readonly kind: "reliability";
  readonly id: string;
  readonly isReal: boolean;
}

/** A step of a scenario, here. */
interface Measured {
  readonly kind: "measured";
  readonly scenario: ScenarioName;
  readonly step: StepName;
}

export interface AcceptanceCase {
  readonly number: number;
  /** In one sentence. */
  readonly promise: string;
  readonly engines: readonly ("postgresql" | "mysql" | "mongodb")[];
  /** Nothing: it is not supported yet. */
  readonly heldBy: readonly Holder[];
  /** What of it nothing holds, for people. */
  readonly open?: string;
}

/** A test of the story that has the name of its group. */
export const story = (group: GroupName, test: string, ...killed: readonly Killed[]): Told => ({
  ...{ kind: "test", file: `test/e2e/stories/${group}.ts`, test, isReal: true, killed, group },
});

/** A test of a group in a file of another name. Default: with real servers. */
export const told = (group: GroupName, file: string, test: string, { isReal = true } = {}): Holder => ({
  ...{ kind: "test", file, test, isReal, killed: [], group },
});

/** A test of the file that has the name of its group, with clusters of its own. */
export const fileStory = (group: GroupName, test: string, ...killed: readonly Killed[]): Told => ({
  ...{ kind: "test", file: `test/e2e/${group}.test.ts`, test, isReal: true, killed, group },
});

/** One of those that came into groups that had passed before. */
export const added = (one: Told): Holder => ({ ...one, since: "2026-11-27T19:20:00Z" });

/** A test of a story that is told with each run. */
export const everyStory = (name: string, test: string): Holder => ({
  ...{ kind: "test", file: `test/e2e/stories/${name}.ts`, test, isReal: true, killed: [] },
});

/** A test on simulated nodes, or without any. */
export const inParts = (file: string, test: string, ...killed: readonly Killed[]): Holder => ({
  ...{ kind: "test", file, test, isReal: false, killed },
});

export const proven = (id: string, nodes: "real" | "simulated"): Holder => ({
  ...{ kind: "reliability", id, isReal: nodes === "real" },
});

export const measured = (scenario: ScenarioName, step: StepName): Holder => ({ kind: "measured", scenario, step });
