import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import test from "node:test";
import { roomOn, type Room } from "../volume/room";
import { causeInLogs, makeRoom, oldestToKeep } from "./binary-logs";

const logs = [1, 2, 3, 4].map((number) => ({ name: `binlog.00000${number}`, size: 100 }));

for (const [what, room, kept] of [
  ["with a fifth of the volume free none is removed", { free: 200, total: 1000 }, undefined],
  ["as many are removed as free a fifth, the oldest first", { free: 150, total: 1000 }, "binlog.000002"],
  ["two are removed where one is not enough", { free: 50, total: 1000 }, "binlog.000003"],
  ["all but the server's own are removed where next to nothing is free", { free: 0, total: 10_000 }, "binlog.000004"],
  [
    "the newest stay for members that were down, up to a twentieth of the volume",
    { free: 500, total: 4_000 },
    "binlog.000003",
  ],
  ["and none is removed where these are all", { free: 1500, total: 8_000 }, undefined],
] as const) {
  test(`binary logs: ${what}`, () => {
    assert.equal(oldestToKeep(logs, room)?.name, kept);
  });
}

test("binary logs: the only one stays, however full the volume is", () => {
  assert.equal(oldestToKeep(logs.slice(0, 1), { free: 0, total: 1000 }), undefined);
});

async function statementsOf(room: Room, name = "binlog.000001"): Promise<string[]> {
  const statements: string[] = [];
  const rows = [name, "binlog.000002"].map((one) => ({ Log_name: one, File_size: 60, Encrypted: "No" }));
  const query = (statement: string): Promise<unknown> => (statements.push(statement), Promise.resolve(rows));
  await makeRoom({ server: { query }, room: () => Promise.resolve(room) });
  return statements;
}

test("binary logs: they are listed and removed only where the volume fills up", async () => {
  assert.deepEqual(await statementsOf({ free: 500, total: 1000 }), []);
  assert.deepEqual(await statementsOf({ free: 100, total: 1000 }), [
    "SHOW BINARY LOGS",
    "PURGE BINARY LOGS TO 'binlog.000002'",
    "SHOW BINARY LOGS",
  ]);
});

/** A member of which our own program reads the oldest log, for as long as its connection is there. */
async function whileRead(free: number): Promise<string[]> {
  const statements: string[] = [];
  let logs = ["binlog.000001", "binlog.000002", "binlog.000003"];
  let isRead = true;
  const query = (statement: string): Promise<unknown> => {
    statements.push(statement);
    if (statement.startsWith("KILL")) isRead = false;
    if (statement.startsWith("PURGE") && !isRead) logs = logs.slice(-1);
    if (statement.startsWith("SELECT")) return Promise.resolve(isRead ? [{ id: 77 }] : []);
    return Promise.resolve(logs.map((name) => ({ Log_name: name, File_size: 500 })));
  };
  await makeRoom({ server: { query }, room: () => Promise.resolve({ free, total: 1000 }) });
  return statements.filter((statement) => !statement.startsWith("SHOW"));
}

test("binary logs: one that our own program reads stays, until the server would stop for want of room", async () => {
  assert.deepEqual(await whileRead(60), ["PURGE BINARY LOGS TO 'binlog.000002'"]);
  const statements = await whileRead(40);
  assert.match(statements[1] ?? "", /USER = 'replication' AND COMMAND = 'Binlog Dump'$/);
  assert.deepEqual(statements.with(1, "…"), [
    "PURGE BINARY LOGS TO 'binlog.000002'",
    "…",
    "KILL 77",
    "PURGE BINARY LOGS TO 'binlog.000002'",
  ]);
});

test("binary logs: an invalid name never reaches a statement", async () => {
  await assert.rejects(statementsOf({ free: 0, total: 1000 }, "it's"));
});

test("the free space of a volume is in bytes", async () => {
  const { free, total } = await roomOn(tmpdir());
  assert.ok(free > 0 && free <= total && total > 2 ** 20);
});

test("binary logs fill a volume where it would have room without those that may go", async () => {
  const server = (bytes: number): { query: () => Promise<unknown> } => ({
    query: () => Promise.resolve([{ Log_name: "binlog.000001", File_size: bytes }]),
  });
  const room = { free: 15, total: 100 };
  assert.deepEqual(await causeInLogs(server(30), room), { kind: "binaryLogs", bytes: 30 });
  assert.equal(await causeInLogs(server(12), room), undefined);
  assert.equal(await causeInLogs(server(30), { free: 0, total: 200 }), undefined);
});
