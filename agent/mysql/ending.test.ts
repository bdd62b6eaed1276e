import assert from "node:assert/strict";
import test from "node:test";
import { awaitedBeforeLeaving, isAllOfGroup } from "./ending";
import type { MemberReport, Membership } from "./observation";
import type { GroupRecord } from "./record";

const record: GroupRecord = { group: "g", members: ["db-0", "db-1", "db-2"], primary: "db-0", view: "v1" };

/** The group of these members, of which the first is the primary, as `self` sees it. */
const group = (self: string, names: readonly string[], change: Partial<Membership> = {}): Membership => ({
  ...{ state: "ONLINE", quorum: true, view: "v1", role: names[0] === self ? "PRIMARY" : "SECONDARY" },
  members: names.map((name, index) => ({
    ...{ name, id: name, state: "ONLINE", role: index === 0 ? "PRIMARY" : "SECONDARY" },
  })),
  ...change,
});

const report = (name: string, how: "serves" | "stops" | "is closed and stops"): MemberReport => ({
  name,
  stopping: how !== "serves",
  server: {
    kind: "up",
    ...{ fresh: false, transactions: "", offline: how === "is closed and stops" },
    membership: group(name, [name]),
  },
});

const all = ["db-0", "db-1", "db-2"];
const cases: readonly (readonly [string, string, Membership, readonly MemberReport[], string | undefined])[] = [
  [
    "the primary leaves last",
    "db-0",
    group("db-0", all),
    [report("db-1", "stops"), report("db-2", "stops")],
    "db-1, db-2",
  ],
  ["once the others are gone, it goes", "db-0", group("db-0", ["db-0"]), [], undefined],
  [
    "a replica stays while the primary can be written to",
    "db-1",
    group("db-1", all),
    [report("db-0", "stops"), report("db-2", "stops")],
    "db-0 to shut",
  ],
  [
    "and goes then",
    "db-1",
    group("db-1", all),
    [report("db-0", "is closed and stops"), report("db-2", "stops")],
    undefined,
  ],
  [
    "where one stays, none waits: the group continues",
    "db-0",
    group("db-0", all),
    [report("db-1", "stops"), report("db-2", "serves")],
    undefined,
  ],
  ["one that does not answer may still run", "db-0", group("db-0", all), [report("db-1", "stops")], undefined],
  [
    "a busy primary has not shut clients out",
    "db-1",
    group("db-1", all),
    [{ ...report("db-0", "stops"), server: { kind: "down" } }, report("db-2", "stops")],
    "db-0 to shut",
  ],
  [
    "without a majority there is nothing to wait for",
    "db-0",
    group("db-0", all, { quorum: false }),
    [report("db-1", "stops"), report("db-2", "stops")],
    undefined,
  ],
  [
    "nor for a member that lost its group",
    "db-0",
    group("db-0", all, { state: "ERROR" }),
    [report("db-1", "stops"), report("db-2", "stops")],
    undefined,
  ],
];

for (const [what, self, membership, peers, awaited] of cases) {
  test(`members that stop: ${what}`, () => {
    const found = awaitedBeforeLeaving(self, membership, peers, false);
    assert.equal(found?.includes(awaited ?? "") ?? false, awaited !== undefined, found);
  });
}

test("members that stop: each gives the others a moment to notice that they stop, too", () => {
  const serving = [report("db-0", "serves"), report("db-2", "stops")];
  assert.equal(awaitedBeforeLeaving("db-1", group("db-1", all), serving, true), "db-0, which may stop as well");
  assert.equal(awaitedBeforeLeaving("db-1", group("db-1", all), [], true), "db-0, db-2, which may stop as well");
  assert.equal(awaitedBeforeLeaving("db-0", group("db-0", ["db-0"]), [], true), undefined);
});

test("only a member that is all of the recorded group, with its data, knows that it has everything", () => {
  const alone = group("db-1", ["db-1"]);
  assert.equal(isAllOfGroup("db-1", alone, record), true);
  const others: readonly Membership[] = [
    group("db-1", ["db-1", "db-2"]),
    { ...alone, view: "v2" },
    { ...alone, quorum: false },
    { ...alone, state: "RECOVERING" },
    { ...alone, state: "ERROR" },
  ];
  for (const other of others) assert.equal(isAllOfGroup("db-1", other, record), false, JSON.stringify(other));
  assert.equal(isAllOfGroup("db-1", alone, { ...record, members: ["db-0"] }), false);
});
