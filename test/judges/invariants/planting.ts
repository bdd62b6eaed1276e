// Planting: small changes to the healthy snapshot, for the tests beside this file.
import assert from "node:assert/strict";
import test from "node:test";
import { childOf, conditionView, database, healthy } from "./healthy";
import { isBroken, judge } from "./invariants";
import type { ConditionView, DatabaseView, ObjectView, Snapshot, WatchedDatabase } from "./snapshot";

export const redIn = (snapshot: Snapshot): Record<string, readonly string[]> =>
  Object.fromEntries(
    judge(snapshot)
      .filter(isBroken)
      .map(({ invariant, problems }) => [invariant.name, problems ?? []]),
  );

export const withDatabase = (change: Partial<DatabaseView>): Partial<Snapshot> => ({
  databases: [{ ...database, ...change }],
});
export const without = (...names: string[]): readonly ObjectView[] =>
  healthy.objects.filter(({ kind, name }) => !names.includes(`${kind} ${name}`));
export const changed = (what: string, change: Partial<ObjectView>): readonly ObjectView[] =>
  healthy.objects.map((object) => (`${object.kind} ${object.name}` === what ? { ...object, ...change } : object));
export const last = healthy.watched?.at(-1)?.at ?? 0;
export const then = (change: Partial<DatabaseView>): readonly WatchedDatabase[] => [
  ...(healthy.watched ?? []),
  { at: last + 60_000, deleted: false, first: false, database: { ...database, ...change } },
];
export const conditions = (type: string, change: Partial<ConditionView>): readonly ConditionView[] =>
  database.conditions.map((condition) => (condition.type === type ? { ...condition, ...change } : condition));
/** A Database with drills, and then the same as changed by an edit. */
export const thenWithoutDrills = (edited: readonly ConditionView[]): readonly WatchedDatabase[] => [
  ...then({ conditions: [...database.conditions, verified] }),
  { at: last + 90_000, deleted: false, first: false, database: { ...database, generation: 2, conditions: edited } },
];
const verified = conditionView("BackupVerified", "Unknown", "NotYetVerified");
export const stalled = conditions("Stalled", { status: "True", reason: "NameConflict" });
export const write = (change: object): Snapshot["writes"] => [
  ...(healthy.writes ?? []),
  ...(healthy.writes ?? []).map((known) => ({ ...known, at: last + 90_000, ...change })),
];
export const said = (change: object): Snapshot["events"] => healthy.events.map((event) => ({ ...event, ...change }));
export const traces = { log: [], argv: [], ends: [], starts: [], stops: [], releases: [] };
export const condition = (change: Partial<ConditionView>): Partial<Snapshot> => ({
  watched: then({ conditions: conditions("Ready", change) }),
});
export const claim3 = childOf("PersistentVolumeClaim", "data-shop-2", true);
export const gone = { databases: [], states: [] };
export const left = [claim3, childOf("Secret", "shop-system", true)];
export const lastSeenWith = (deletionPolicy: string): readonly WatchedDatabase[] => [
  { at: last, deleted: true, first: false, database: { ...database, spec: { ...database.spec, deletionPolicy } } },
];

/** What is planted, which invariant must turn red, and what it must say; by a sentence. */
export type Faults = Readonly<Record<string, readonly [fault: Partial<Snapshot>, invariant: string, says: RegExp]>>;

/** A test for each fault: that invariant, and it alone, turns red. */
export function assertRed(faults: Faults): void {
  for (const [sentence, [fault, invariant, says]] of Object.entries(faults)) {
    test(`red: ${sentence}`, () => {
      const red = redIn({ ...healthy, ...fault });
      assert.deepEqual(Object.keys(red), [invariant]);
      assert.match(red[invariant]?.join("\n") ?? "", says);
    });
  }
}
