import assert from "node:assert/strict";
import test from "node:test";
import type { MemberReport } from "./observation";
import { leaderAfterOutage, type Leader } from "./outage";
import type { GroupRecord } from "./record";

const uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const to = (last: number): string => `${uuid}:1-${last}`;
const foreign = "4e11fa47-71ca-11e1-9e33-c80aa9429562:1";

/** Members by ordinal, with their transactions; undefined: its volume was lost. */
const reached = (members: Readonly<Record<number, string | undefined>>): MemberReport[] =>
  Object.entries(members).map(([ordinal, transactions]) => ({
    name: `db-${ordinal}`,
    stopping: false,
    server: {
      kind: "up",
      fresh: transactions === undefined,
      membership: { state: "OFFLINE", quorum: true, members: [] },
      transactions: transactions ?? "",
      offline: true,
    },
  }));

interface Case {
  readonly what: string;
  /** The last primary; default db-0. */
  readonly primary?: number;
  /** What the group had when it ended, where that was noted. */
  readonly ended?: string;
  readonly wanted: number;
  readonly there: Readonly<Record<number, string | undefined>>;
  /** The name of the leader, or the message instead. */
  readonly expected: string | readonly [Leader["kind"], RegExp];
}

const cure = /set spec\.replicas to 3 until the Database is ready, then to 1 again$/;

// three members are recorded in each
const cases: readonly Case[] = [
  {
    what: "after a clean end a member with all the data leads, however few are wanted",
    ...{ ended: to(10), wanted: 1, there: { 0: to(10) }, expected: "db-0" },
  },
  {
    what: "the last primary is not needed",
    ...{ primary: 2, ended: to(10), wanted: 1, there: { 0: to(10) }, expected: "db-0" },
  },
  {
    what: "the last primary leads if it is there",
    ...{ primary: 2, ended: to(10), wanted: 3, there: { 0: to(10), 2: to(10) }, expected: "db-2" },
  },
  {
    what: "a member that was down at the end does not lead, and waits for the one that has everything",
    ...{
      ended: to(10),
      wanted: 3,
      there: { 0: to(9) },
      expected: ["wait", /no available member has everything .*, and db-1, db-2 may have it$/],
    },
  },
  {
    what: "the others may be complete where the last primary is not",
    ...{ ended: to(10), wanted: 3, there: { 0: to(9), 1: to(10) }, expected: "db-1" },
  },
  {
    what: "where the members with everything are no longer wanted, the reason and the fix are reported",
    ...{ ended: to(10), wanted: 1, there: { 0: to(9) }, expected: ["person", cure] },
  },
  {
    what: "a majority with the last primary does not replace data that is known to be missing",
    ...{
      ended: to(10),
      wanted: 3,
      there: { 0: to(9), 1: to(9), 2: to(9) },
      expected: ["person", /had when it ended$/],
    },
  },
  {
    what: "a volume that was lost holds nothing",
    ...{ ended: to(10), wanted: 1, there: { 0: undefined }, expected: ["person", cure] },
  },
  {
    what: "where a member has more, the note is outdated: the rules of an outage hold",
    ...{ ended: to(10), wanted: 3, there: { 0: to(11) }, expected: ["wait", /most members must be available/] },
  },
  {
    what: "the same where another member has more",
    ...{ ended: to(10), wanted: 3, there: { 0: to(10), 1: `${to(10)},${foreign}` }, expected: "db-1" },
  },
  {
    what: "without a note a member that may lack data does not lead alone, and says how to bring the others back",
    ...{ wanted: 1, there: { 0: to(10) }, expected: ["person", cure] },
  },
  {
    what: "the same where the last primary is no longer wanted",
    ...{
      primary: 2,
      wanted: 2,
      there: { 0: to(10), 1: to(10) },
      expected: ["person", /last primary db-2 .* then to 2 again$/],
    },
  },
  {
    what: "without a note the wanted members are waited for where they are enough",
    ...{ wanted: 2, there: { 0: to(10) }, expected: ["wait", /db-1, db-2 are not$/] },
  },
  { what: "and lead again once they are there", ...{ wanted: 2, there: { 0: to(10), 1: to(10) }, expected: "db-0" } },
];

for (const { what, primary = 0, ended, wanted, there, expected } of cases) {
  test(`who leads after an outage of all: ${what}`, () => {
    const record: GroupRecord = {
      ...{ group: uuid, members: ["db-0", "db-1", "db-2"], primary: `db-${primary}`, view: "v1", viewNumber: 3 },
      ...(ended !== undefined && { ended: { transactions: ended } }),
    };
    const found = leaderAfterOutage(record, reached(there), wanted);
    if (typeof expected === "string") {
      assert.deepEqual(found, { kind: "leader", name: expected });
      return;
    }
    assert.equal(found.kind, expected[0]);
    assert.match("why" in found ? found.why : "", expected[1]);
  });
}
