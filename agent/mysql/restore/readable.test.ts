import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { group, set } from "../../../test/fakes/mysql/archive";
import { binaryLog } from "../../../test/fakes/mysql/binary-log";
import { noteArrived } from "../archive/group-notes";
import { beginSession, completeLog, groupDirectory, noteRest } from "../archive/store";
import { gtidText, parseGtidSet, type GtidSet } from "../gtid";
import { planFor } from "./readable";
import type { Plan, Problem } from "./plan";
import { foresee, tooNew } from "./foresight";

let backups = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "readable-"));
});
afterEach(() => rm(backups, { recursive: true }));

const outside = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";

/** A transaction is committed at the second of its number. */
const second = 1_000_000;
const epoch = Date.parse("2026-11-21T00:00:00Z") * 1000;
const momentOf = (number: number): string => new Date((epoch + number * second) / 1000).toISOString();

/** A file with those from one number to another. */
const fileOf = (from: number, to: number): Buffer =>
  binaryLog({
    source: group,
    previous: from === 1 ? "" : `${group}:1-${from - 1}`,
    transactions: Array.from({ length: to - from + 1 }, (_, index) => ({
      number: from + index,
      committedAt: epoch + (from + index) * second,
    })),
  });

async function session(number: number, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const beginning = { member: "shop-0", startedAt: "2026-11-21T00:00:00Z", previous: set("") };
  const directory = await beginSession({ backups, group, number, ...beginning });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(directory, name), bytes);
  return directory;
}

const planUpTo = (until: string, executed: GtidSet): Promise<Plan | Problem> =>
  planFor({ label: "shop-1", backups, group, until }, executed);

async function planned(until: string, executed: GtidSet): Promise<Plan> {
  const plan = await planUpTo(until, executed);
  assert.ok(!("problem" in plan), JSON.stringify(plan));
  return plan;
}

test("what is being written is read as far as it is whole, and the bytes that count are known", async () => {
  const directory = await session(1, { "binlog.000001": fileOf(1, 5), "binlog.000002": fileOf(6, 9).subarray(0, -60) });
  await completeLog(directory, "binlog.000001");
  const { logs, wanted } = await planned("last", set("1-3"));
  assert.deepEqual(
    logs.map(({ path, end }) => [basename(path), end === undefined]),
    [
      ["binlog.000001", true],
      ["binlog.000002", false],
    ],
  );
  assert.equal(gtidText(wanted), `${group}:1-8`);
});

test("what is behind the bytes that count is looked at no more", async () => {
  const directory = await session(1, { "binlog.000001": fileOf(1, 5).subarray(0, -60) });
  await noteRest(directory, "binlog.000001");
  await writeFile(join(directory, "binlog.000001"), fileOf(1, 5));
  const { stopBefore } = await planned(momentOf(3), set("1:5"));
  assert.equal(stopBefore, `${group}:4`);
});

test("files are taken in the order in which they need each other, wherever notes are missing", async () => {
  const directory = await session(1, { "binlog.999999": fileOf(1, 5), "binlog.1000000": fileOf(6, 9) });
  await completeLog(directory, "binlog.1000000");
  const { logs, stopBefore } = await planned(momentOf(4), set(""));
  assert.deepEqual([logs.map(({ path }) => basename(path)), stopBefore], [["binlog.999999"], `${group}:5`]);
});

test("a backup that has changes from after the moment is refused, though none of its logs would be read", async () => {
  const directory = await session(1, { "binlog.000001": fileOf(1, 5), "binlog.000002": fileOf(6, 9) });
  for (const name of ["binlog.000001", "binlog.000002"]) await completeLog(directory, name);
  const plan = await planUpTo(momentOf(3), set("1-5"));
  assert.match("problem" in plan ? plan.problem : "", /shop-1 has changes that are later than/);
});

test("where nothing was ever kept of the group of a backup, that is said", async () => {
  const plan = await planUpTo("last", set("1-5"));
  assert.match(
    "problem" in plan ? plan.problem : "",
    /^there are no binary logs behind shop-1: write spec\.restore\.backup/,
  );
});

test("files behind the moment of which the backup has nothing are not looked through", async () => {
  const names = ["binlog.000001", "binlog.000002", "binlog.000003", "binlog.000004"];
  const files = [fileOf(1, 5), fileOf(6, 9), fileOf(10, 12), fileOf(13, 15)];
  const directory = await session(
    1,
    Object.fromEntries(names.map((name, index) => [name, files[index] ?? fileOf(1, 1)])),
  );
  for (const name of names) await completeLog(directory, name);
  const last = join(directory, "binlog.000004");
  await rm(last);
  // it cannot be read
  await mkdir(last);
  assert.equal((await planned(momentOf(7), set("1-3"))).stopBefore, `${group}:8`);
  const later = await planUpTo(momentOf(7), set("1-3:11"));
  assert.match("problem" in later ? later.problem : "", /has changes that are later/);
});

test("after a decision what was given up is not taken for all that there is, and a moment before it can be had", async () => {
  const directory = await session(1, { "binlog.000001": fileOf(1, 9) });
  await completeLog(directory, "binlog.000001");
  await noteArrived(backups, group, { at: epoch + 10 * second, executed: set("1-9") });
  const decided = { backups, group: outside, number: 1, member: "shop-1", startedAt: "2026-11-21T01:00:00Z" };
  await beginSession({ ...decided, previous: set("") });
  assert.equal((await planned("last", set("1-3"))).logs.length, 1, "nothing of this group is in it");
  await beginSession({ ...decided, number: 2, previous: set(""), others: set("1-7") });
  const plan = await planUpTo("last", set("1-3"));
  assert.equal("problem" in plan && plan.nothing, "given up");
  assert.match("problem" in plan ? plan.problem : "", /continued as another group.*up to 2026-11-21T00:00:10\.000000Z/);
  assert.equal((await planned(momentOf(6), set("1-3"))).stopBefore, `${group}:7`);
});

test("what cannot be read is no gap, and no end", async () => {
  await mkdir(join(groupDirectory(backups, group), "000001-shop-0", "session.json"), { recursive: true });
  await assert.rejects(planUpTo("last", set("1")), /EISDIR/);
});

test("before anything is copied, what is certain is refused: a moment that has not come, and a gap behind the copy", async () => {
  const directory = await session(1, { "binlog.000001": fileOf(1, 5) });
  await completeLog(directory, "binlog.000001");
  await noteArrived(backups, group, { at: epoch + 6 * second, executed: set("1-5") });
  const wish = { label: "shop-1", backups, group };
  const of = async (until: string, transactions: string, copied: number): Promise<string | undefined> => {
    const manifest = { transactions: `${group}:${transactions}`, copiedAt: momentOf(copied) };
    return (await foresee({ ...wish, until }, manifest, "9.7.4")).refusal;
  };
  assert.equal(await of("last", "1-2", 2), undefined);
  assert.match((await of(momentOf(99), "1-2", 2)) ?? "", /is after what has arrived/);
  const behind = await session(2, { "binlog.000009": fileOf(8, 9) });
  await completeLog(behind, "binlog.000009");
  assert.match((await of("last", "1-2", 2)) ?? "", /have a gap/);
  assert.equal(await of("last", "1-2", 8), undefined, "the copy may have what is missing");
});

const fromOutside = (previous: string): Buffer =>
  binaryLog({ source: outside, previous, transactions: [{ number: 1, committedAt: epoch + 500 * second }] });

/** One file with the events of two: their beginnings are as long where both name as many sources. */
function joined(one: Buffer, other: Buffer): Buffer {
  const head = 4 + (19 + 57 + 41 + 1 + 4) + (19 + 8 + 4);
  const rotate = 19 + 8 + 13 + 4;
  return Buffer.concat([one.subarray(0, -rotate), other.subarray(head)]);
}

test("what came from outside of the group ends no replay, and none gets past it but behind a backup that has it", async () => {
  const directory = await session(1, { "binlog.000001": joined(fromOutside(""), fileOf(1, 5)) });
  await completeLog(directory, "binlog.000001");
  const problem = async (until: string, executed: string): Promise<string> => {
    const plan = await planUpTo(until, parseGtidSet(executed));
    return "problem" in plan ? plan.problem : "";
  };
  assert.match(await problem(momentOf(4), ""), new RegExp(`from outside of the group .* ${outside}:1\\.`));
  const { stopBefore } = await planned(momentOf(4), parseGtidSet(`${outside}:1`));
  assert.equal(stopBefore, `${group}:5`);
  assert.match(await problem(momentOf(400), `${group}:1-5,${outside}:1`), /is after what has arrived/);
});

test("what came from outside after the moment is in no one's way", async () => {
  const directory = await session(1, { "binlog.000001": joined(fileOf(1, 5), fromOutside("")) });
  await completeLog(directory, "binlog.000001");
  assert.equal((await planned(momentOf(4), set(""))).stopBefore, `${group}:5`);
  assert.ok("problem" in (await planUpTo("last", set(""))));
});

test("a file with nothing but what came from outside is not passed over", async () => {
  const directory = await session(1, {
    "binlog.000001": fileOf(1, 5),
    "binlog.000002": fromOutside(`${group}:1-5`),
    "binlog.000003": fileOf(6, 7),
  });
  for (const name of ["binlog.000001", "binlog.000002", "binlog.000003"]) await completeLog(directory, name);
  const plan = await planUpTo("last", set(""));
  assert.match(
    "problem" in plan ? plan.problem : "",
    /no restore gets past it: bbbb.*up to 2026-11-21T00:00:05\.000000Z/,
  );
  assert.equal((await planned(momentOf(4), set(""))).stopBefore, `${group}:5`);
  assert.equal((await planned("last", parseGtidSet(`${group}:1-2,${outside}:1`))).logs.length, 2);
});

test("what a member did alone is nothing from outside", async () => {
  const beginning = { member: "shop-0", startedAt: "2026-11-21T00:00:00Z", previous: set(""), servers: [outside] };
  const directory = await beginSession({ backups, group, number: 1, ...beginning });
  await writeFile(join(directory, "binlog.000001"), joined(fromOutside(""), fileOf(1, 5)));
  await completeLog(directory, "binlog.000001");
  assert.equal((await planned(momentOf(4), set(""))).stopBefore, `${group}:5`);
});

test("before anything is copied, logs of a newer server are refused, and what the replay takes up is known", async () => {
  const [whole, rest] = [fileOf(1, 5), fileOf(6, 9).subarray(0, -60)];
  const directory = await session(1, { "binlog.000001": whole, "binlog.000002": rest });
  await completeLog(directory, "binlog.000001");
  await noteRest(directory, "binlog.000002");
  const wish = { label: "shop-1", backups, group, until: "last" };
  const found = await foresee(wish, { transactions: `${group}:1-2` }, "9.7.4");
  assert.deepEqual([found.refusal, found.copies], [undefined, rest.length]);
  assert.ok(found.replayed > whole.length && found.replayed < whole.length + rest.length);
  const { refusal } = await foresee(wish, { transactions: `${group}:1-2` }, "9.7.3");
  assert.match(refusal ?? "", /binlog\.000001 is of MySQL 9\.7\.4, and the image of MySQL 9\.7\.3/);
});

test("logs of a newer server than the image's are refused by name", () => {
  const log = (server: string): Plan["logs"][number] => ({
    ...{ path: "/backup/x/binlog.000007", server, previous: set(""), transactions: set("1") },
  });
  assert.equal(tooNew({ logs: [log("9.7.3"), log("9.7.4-2")] }, "9.7.4"), undefined);
  assert.match(
    tooNew({ logs: [log("9.7.4"), log("9.7.5")] }, "9.7.4") ?? "",
    /the binary log binlog\.000007 is of MySQL 9\.7\.5, and the image of MySQL 9\.7\.4/,
  );
});
