// The run of a Database's stack: over its state, or, where there is none that can be read, by adoption of what exists.
import type { ChildName, Drift } from "../domain/children";
import type { DatabaseProgram } from "../domain/desired";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { summaryOf, type StackResult } from "../domain/runner";
import type { Look } from "./drift";
import { noted } from "./noted";
import { nameConflict } from "./refusal";
import { updateOf } from "./update";

interface RunContext {
  readonly at: Ports;
  readonly stack: string;
  readonly change: { readonly look: Look };
  /** Children that exist and that the stored state does not know, with their UIDs. */
  readonly ours: ReadonlyMap<ChildName, string>;
}

export interface Ran {
  readonly result: StackResult;
  /** Whether there was something that a state should have shown, and none that could be read. */
  readonly rebuilt: boolean;
}

/** With a state that can be read it changes what that says; without one it adopts what exists. */
export async function runStack(
  key: Key,
  known: StackRecord,
  program: DatabaseProgram,
  context: RunContext,
): Promise<Ran> {
  const { at, stack, change, ours } = context;
  const up = { key, operation: "up", summary: summaryOf } as const;
  const exists = at.world.observe(key).workload !== undefined;
  const update = await updateOf(key, { record: known, look: change.look }, program, at.children);
  let found = ours;
  if (update !== undefined) {
    // those that a lost run created: they cannot be changed, only created again
    await at.children.remove(key, [...ours.keys()].filter(isJob));
    const existing = new Map([...ours, ...change.look.drift.flatMap(standingOf)]);
    const result = await noted(up, at, () => at.stacks.up({ ...update, stack, existing, signal: at.signal }));
    if (result.kind !== "corrupt") return { result, rebuilt: false };
    // those that the state vouched for have not been asked about yet
    const standing = await at.children.standing(key, program.desired, new Set());
    if (standing.conflicts.length > 0) return { result: unreadableWith(standing.conflicts), rebuilt: false };
    found = standing.ours;
  }
  // names and field manager are fixed, so a run without state adopts what exists
  const adopting = { ...program, ...(await at.children.prepareAdoption(key, found)) };
  const request = { stack, program: adopting, existing: found, signal: at.signal, checkpoint: undefined };
  return { result: await noted(up, at, () => at.stacks.up(request)), rebuilt: exists };
}

/** What drifted is created again over what is there of it. */
const standingOf = ({ child, uid }: Drift): [ChildName, string][] => (uid === undefined ? [] : [[child, uid]]);

const isJob = (child: ChildName): boolean => child.startsWith("Job ");

const unreadableWith = (conflicts: readonly string[]): StackResult => ({
  kind: "failed",
  problem: { message: `the state cannot be read and is not rebuilt: ${nameConflict(conflicts)}`, resource: undefined },
  checkpoint: undefined,
});
