import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ServerEnded } from "../../supervise/while-it-runs";
import { privateOptions } from "../private-server";
import { cloneStatement, cloneTo, isFull } from "./clone";

test("a copy is encrypted, and every character of a password survives", () => {
  assert.equal(
    cloneStatement("/backup/.partial-a/data", { host: "db-1.db", port: 3306, user: "replication", password: "a'b\\c" }),
    String.raw`CLONE INSTANCE FROM 'replication'@'db-1.db':3306 IDENTIFIED BY 'a\'b\\c' DATA DIRECTORY = '/backup/.partial-a/data' REQUIRE SSL`,
  );
});

test("a private server is reached by nobody, follows nobody, and runs no events; what it is told wins", () => {
  const options = privateOptions({ data: "/d", directory: "/run/r", options: { character_set_server: "latin1" } });
  for (const option of [
    ...["--skip-networking=ON", "--mysqlx=OFF", "--skip-replica-start=ON", "--event-scheduler=DISABLED"],
    ...["--group-replication-start-on-boot=OFF", "--socket=/run/r/mysqld.sock", "--datadir=/d"],
    "--character-set-server=latin1",
  ])
    assert.ok(options.includes(option), option);
  assert.equal(options[0], "--no-defaults");
});

test("where the Job's own server does not start, no room is made: no backup goes for nothing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "clone-"));
  const programs = process.env["PATH"] ?? "";
  // it initializes, and never starts
  const server = '#!/bin/sh\ncase " $* " in *" --initialize-insecure "*) exit 0;; esac\nexit 1\n';
  await writeFile(join(directory, "mysqld"), server, { mode: 0o755 });
  process.env["PATH"] = `${directory}:${programs}`;
  let calls = 0;
  const makeRoom = (): Promise<void> => {
    calls++;
    return Promise.resolve();
  };
  const source = { host: "db-1.db", port: 3306, user: "replication", password: "" };
  const from = { position: { settings: {} }, source, makeRoom, scratch: join(directory, "scratch") };
  try {
    await assert.rejects(cloneTo(join(directory, "data"), from), /the private server does not start/);
    assert.equal(calls, 0);
  } finally {
    process.env["PATH"] = programs;
    await rm(directory, { recursive: true });
  }
});

test("a volume without room is told from other failures, before the copy and while it is written", () => {
  const said = (errno: number, message: string): Error => Object.assign(new Error(message), { errno });
  assert.ok(
    isFull(said(3873, "Clone estimated database size is 170.22 MiB. Available space 39.99 MiB is not enough.")),
  );
  assert.ok(isFull(said(1026, "Error writing file '/backup/d/mysql.ibd' (errno: 28 - No space left on device)")));
  assert.ok(isFull(said(-28, "ENOSPC: no space left on device, write")));
  const cause = said(3873, "Clone estimated database size is 170.22 MiB.");
  assert.ok(isFull(new ServerEnded("the private server ended meanwhile", null, { cause })));
  assert.ok(!isFull(new ServerEnded("the private server ended meanwhile", null)));
  assert.ok(!isFull(said(3868, "Clone Configuration character_set_server")));
});
