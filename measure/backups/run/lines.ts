// Lines of results: what a backup and a restore took, and whether all that must be there is.
import type { Attempt } from "../../availability/load/account";
import type { StepResult } from "../report/results";
import type { Kill, StepName } from "../scenarios";
import type { Taken } from "./backup";
import type { Restored } from "./restore";
import { source, type Scene } from "./scene";
import { digestOf } from "./source";
import { accountIn } from "./writers";

/** A line without what is the same for all of a run. */
export type Unsigned<T> = Omit<T, "asked_gib" | "date" | "commit" | "load">;

/** To a hundredth. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

/** What a backup lost only its restore shows. */
export const backupLine = (scene: Scene, taken: Taken, killed: Kill): Unsigned<StepResult> => ({
  ...{ scenario: scene.name, step: "backup", killed, version: scene.built.version, bytes: taken.bytes },
  ...(taken.storedBytes !== undefined && { stored_bytes: taken.storedBytes }),
  program_s: rounded(taken.programSeconds),
});

/** A restore, and what is to be compared with it. */
export interface Comparison {
  readonly step: StepName;
  readonly killed: Kill;
  readonly restored: Restored;
  /** Of the backup that it began with. */
  readonly bytes: number;
  readonly table: string;
  /** What clients sent into that table: what counts as acknowledged must be there. */
  readonly due: readonly Attempt[];
}

/** Throws where rows are there that cannot be, or are others than were written. */
export async function restoreLine(scene: Scene, comparison: Comparison): Promise<Unsigned<StepResult>> {
  const { step, killed, restored, bytes, table, due } = comparison;
  const account = await accountIn(scene, restored.name, { table, due });
  const rows = await comparedRows(scene, restored.name);
  return {
    ...{ scenario: scene.name, step, killed, version: scene.built.version, bytes },
    ...{ program_s: rounded(restored.programSeconds), ready_s: rounded(restored.readySeconds) },
    ...{ acked: rows.count + account.acknowledged, lost: rows.missing + account.lost },
  };
}

/** Those that were written first: by their number, and by what is in them. */
async function comparedRows(scene: Scene, name: string): Promise<{ readonly count: number; readonly missing: number }> {
  const [before, after] = [await digestOf(scene, source), await digestOf(scene, name)];
  if (before.count === after.count && before.text !== after.text)
    throw new Error(`the rows of ${name} are others than those that were written: ${after.text}, not ${before.text}`);
  return { count: before.count, missing: before.count - after.count };
}
