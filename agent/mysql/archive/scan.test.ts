import assert from "node:assert/strict";
import test from "node:test";
import { LogReader, type Scan, type Transaction } from "./scan";

const uuid = "435690e3-e98c-11f1-b7e1-02fc00000001";

/** As mysqlbinlog 9.7 prints them. */
const beginning = [
  "# at 4",
  "#261126 11:26:55 server id 1  end_log_pos 127 CRC32 0x3625d181 \tStart: binlog v 4, server v 9.7.4-2 created 261126 11:26:55",
  "# at 127",
  "#261126 11:26:55 server id 1  end_log_pos 246 CRC32 0x662fcb00 \tPrevious-GTIDs",
  `# ${uuid}:1-6:tagged:1`,
];
const transaction = (at: number, gtid: string, committedAt: number, body: readonly string[] = ["BEGIN"]): string[] => [
  `# at ${at}`,
  `#261126 11:26:55 server id 1  end_log_pos ${at + 79} CRC32 0x63daaf6c \tGTID\tlast_committed=0\tsequence_number=1\trbr_only=yes\toriginal_committed_timestamp=${committedAt}\timmediate_commit_timestamp=${committedAt + 9}\ttransaction_length=100`,
  `# original_commit_timestamp=${committedAt} (2026-11-26 11:26:55.626927 UTC)`,
  `SET @@SESSION.GTID_NEXT= '${gtid}'/*!*/;`,
  `# at ${at + 79}`,
  ...body,
];

function read(
  lines: readonly string[],
  size: number,
  isClean = true,
): { scan: Scan | undefined; found: Transaction[] } {
  const found: Transaction[] = [];
  const reader = new LogReader((one) => found.push(one));
  for (const line of lines) reader.line(line);
  return { scan: reader.finish(size, isClean), found };
}

test("what is in a file: what came before, and each transaction with its moment, tagged ones as well", () => {
  const lines = [...beginning, ...transaction(246, `${uuid}:7`, 1000), ...transaction(346, `${uuid}:tagged:2`, 2000)];
  const { scan, found } = read(lines, 446);
  assert.deepEqual(scan, { previous: `${uuid}:1-6:tagged:1`, end: 446, isWhole: true });
  assert.deepEqual(found, [
    { gtid: `${uuid}:7`, committedAt: 1000 },
    { gtid: `${uuid}:tagged:2`, committedAt: 2000 },
  ]);
});

test("a file that ends in the middle of a transaction ends before it", () => {
  const lines = [...beginning, ...transaction(246, `${uuid}:7`, 1000), ...transaction(346, `${uuid}:8`, 2000)];
  for (const [size, isClean] of [
    [400, true],
    [446, false],
  ] as const) {
    const { scan, found } = read(lines, size, isClean);
    assert.deepEqual([scan?.end, scan?.isWhole], [346, false]);
    assert.deepEqual(
      found.map(({ gtid }) => gtid),
      [`${uuid}:7`],
    );
  }
});

test("a file without its beginning has nothing, and one without transactions ends behind it", () => {
  assert.equal(read(["# at 4"], 100, false).scan, undefined);
  const { scan, found } = read(beginning.with(4, "# [empty]"), 246);
  assert.deepEqual([scan, found], [{ previous: "", end: 246, isWhole: true }, []]);
});

test("a statement that looks like an event is none", () => {
  const lie = transaction(300, `${uuid}:666`, 1, []);
  const { found } = read([...beginning, ...transaction(246, `${uuid}:7`, 1000, lie), "# at 346"], 400);
  assert.deepEqual(found, [{ gtid: `${uuid}:7`, committedAt: 1000 }]);
});
