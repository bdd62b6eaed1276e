import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { binaryLog } from "../../../test/fakes/mysql/binary-log";
import { loggedGroup as group, realLogs } from "../../../test/fakes/mysql/real-binary-logs";
import { LogReader, scanLog, type Scan, type Transaction } from "./scan";

function read(file: Buffer, piece = file.length): { scan: Scan | undefined; found: Transaction[] } {
  const found: Transaction[] = [];
  const reader = new LogReader((one) => found.push(one));
  // a piece is written to again once it was read
  const buffer = Buffer.alloc(piece);
  for (let at = 0; at < file.length; at += piece)
    reader.push(buffer.subarray(0, file.copy(buffer, 0, at, Math.min(at + piece, file.length))));
  return { scan: reader.finish(file.length), found };
}
const gtidsIn = (file: Buffer): string[] => read(file).found.map(({ gtid }) => gtid.replace(`${group}:`, ""));

test("what a server wrote: what came before, and each transaction with its moment, tagged and compressed ones as well", () => {
  const { scan, found } = read(realLogs.tagged);
  assert.deepEqual(scan, { server: "9.7.4-2", previous: `${group}:1-4`, end: 1365, problem: undefined });
  assert.deepEqual(found, [
    { gtid: `${group}:tagged:1`, committedAt: 1795728715002012 },
    { gtid: `${group}:5`, committedAt: 1795728715004296 },
    { gtid: `${group}:6`, committedAt: 1795728715087471 },
    { gtid: `${group}:7`, committedAt: 1795728715122615 },
  ]);
});

test("a file without checksums, and a set with tags before it", () => {
  const { scan, found } = read(realLogs.unchecked);
  assert.deepEqual([scan?.previous, scan?.problem], [`${group}:1-9,${group}:tagged:1-1`, undefined]);
  assert.deepEqual(found, [{ gtid: `${group}:tagged:2`, committedAt: 1795728715287836 }]);
});

test("a statement that looks like an event to people is none", () => {
  assert.match(realLogs.statements.toString("latin1"), /\n# at 999999\n#261126 .*\tGTID\t.*\nSET @@SESSION\.GTID_NEXT/);
  assert.deepEqual(gtidsIn(realLogs.statements), ["1", "2", "3", "4"]);
});

const some = binaryLog({
  source: group,
  previous: `${group}:1-6`,
  transactions: [7, 8, 9].map((number) => ({ number, committedAt: number * 1000, bytes: 100 })),
});
const ends = [7, 8].map((last) =>
  binaryLog({
    source: group,
    previous: `${group}:1-6`,
    transactions: [7, 8].filter((number) => number <= last).map((number) => ({ number, committedAt: 1, bytes: 100 })),
  }),
);
const rotateBytes = 19 + 21 + 4;
const endOf = (count: number): number => (ends[count - 1]?.length ?? 0) - rotateBytes;

test("wherever a file ends, and in whatever pieces it comes, what counts is each transaction that is whole", () => {
  const first = endOf(1);
  const all = read(some).found;
  assert.equal(all.length, 3);
  fc.assert(
    fc.property(fc.integer({ min: first, max: some.length }), fc.integer({ min: 1, max: 400 }), (size, piece) => {
      const { scan, found } = read(some.subarray(0, size), piece);
      assert.ok(scan && scan.end <= size);
      assert.deepEqual(found, all.slice(0, found.length));
      // it says so where something is behind that
      assert.equal(scan.problem === undefined, scan.end === size);
      assert.equal(read(some.subarray(0, scan.end)).scan?.problem, undefined);
      const expected = size >= some.length - rotateBytes ? 3 : size >= endOf(2) ? 2 : 1;
      assert.equal(found.length, expected);
    }),
  );
});

test("whichever byte is another one, no transaction behind it counts, and that is said", () => {
  fc.assert(
    fc.property(fc.integer({ min: endOf(1), max: some.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(some);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      const { scan, found } = read(damaged);
      assert.ok(scan?.problem !== undefined && scan.end <= at, JSON.stringify(scan));
      assert.ok(found.length < 3 || at >= some.length - rotateBytes);
    }),
  );
});

test("a transaction that begins within another one is no end of that", () => {
  const gtidEventBytes = 85;
  const torn = Buffer.concat([some.subarray(0, endOf(1) + gtidEventBytes), some.subarray(endOf(2))]);
  assert.deepEqual(
    read(some.subarray(0, endOf(1) + gtidEventBytes)).scan?.problem,
    `transaction ${group}:8 at ${endOf(1)} has no end`,
  );
  const { scan, found } = read(torn);
  assert.deepEqual([scan?.end, found.length], [endOf(1), 1]);
  assert.match(scan?.problem ?? "", new RegExp(`transaction ${group}:8 .* does not end where it says`));
});

test("a file that its server still writes to is marked so, and not damaged by that", () => {
  const inUse = Buffer.from(realLogs.statements);
  inUse[4 + 17] = 1;
  const { scan, found } = read(inUse);
  assert.deepEqual([scan?.problem, found.length], [undefined, 4]);
});

test("zeros that a machine's end has left behind are nothing", () => {
  const { scan, found } = read(Buffer.concat([some.subarray(0, endOf(2)), Buffer.alloc(4096)]));
  assert.deepEqual([scan?.end, found.length], [endOf(2), 2]);
  assert.match(scan?.problem ?? "", /there is no event at/);
});

test("a file without its beginning has nothing, and one without transactions nothing but that", () => {
  assert.equal(read(some.subarray(0, 100)).scan, undefined);
  assert.equal(read(Buffer.from("text that is long enough to be taken for events")).scan, undefined);
  const none = binaryLog({ source: group, transactions: [] });
  const { scan, found } = read(none);
  assert.deepEqual([scan?.previous, scan?.problem, scan?.end, found], ["", undefined, none.length, []]);
});

test("a transaction of another format is no reason to leave anything out: it is said, and nothing is decided", () => {
  const other = Buffer.from(realLogs.unchecked);
  // its version, its size, and the first of its fields
  const at = other.indexOf(Buffer.from([0x02, 0x90, 0x00, 0x00]));
  assert.ok(at > 0);
  other[at] = 6;
  assert.throws(() => read(other), /has version 3 of its format/);
});

test("a file that cannot be read is none that ends early", async () => {
  const directory = await mkdtemp(join(tmpdir(), "scan-"));
  try {
    await assert.rejects(
      scanLog(directory, () => undefined),
      /EISDIR/,
    );
    await writeFile(join(directory, "binlog.000001"), some);
    const found: number[] = [];
    const scan = await scanLog(join(directory, "binlog.000001"), ({ committedAt }) => found.push(committedAt));
    assert.deepEqual([scan?.end, found], [some.length, [7000, 8000, 9000]]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
