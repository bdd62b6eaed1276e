// A replay with servers that answer as they are told, or do not start.
import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { group, set } from "../../../test/fakes/mysql/archive";
import { exists } from "../../disk";
import type { Plan } from "./plan";
import { apply, fullOr, replayOptions, untilThere, type Replaying } from "./replay";
import { ReplayProblem } from "./replay-problem";

const environment = process.env;
let directory = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "replay-"));
  await mkdir(join(directory, "programs"));
  process.env = { ...environment, PATH: [join(directory, "programs"), environment["PATH"]].join(delimiter) };
});
afterEach(async () => {
  process.env = environment;
  await rm(directory, { recursive: true });
});

const plan = (): Plan => ({
  logs: [
    { path: join(directory, "binlog.000001"), previous: set(""), transactions: set("1-3"), server: "9.7.4", end: 4 },
  ],
  wanted: set("1-3"),
});

test("a change that the server does not take is told with its number", async () => {
  const status = { Replica_SQL_Running: "No", Last_SQL_Errno: 1114, Last_SQL_Error: "The table 'items' is full" };
  const query = (statement: string): Promise<unknown> =>
    Promise.resolve(
      statement === "SHOW REPLICA STATUS"
        ? [{ ...status, Replica_SQL_Running_State: null }]
        : [{ executed: `${group}:1-2` }],
    );
  await assert.rejects(untilThere({ query }, plan(), { group, data: join(directory, "data") }), (error) => {
    assert.ok(error instanceof ReplayProblem);
    assert.deepEqual([error.kind, error.errno], ["changes", 1114]);
    return true;
  });
});

test("copies of logs stay where it fails: how much room there was is seen then", async () => {
  await writeFile(join(directory, "programs", "mysqld"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  await writeFile(join(directory, "binlog.000001"), "1234567");
  const scratch = join(directory, "scratch");
  const place = { data: join(directory, "data"), directory: join(directory, "run"), scratch, superuser: "" };
  const wish = { label: "shop-1", backups: directory, group, until: "last" };
  const replaying: Replaying = { ...wish, ...place, version: "9.7.4", parameters: {} };
  await assert.rejects(apply(plan(), replaying), /does not start/);
  assert.equal(await exists(join(scratch, "relay.000001")), true);
});

test("what a server that replays writes for a while is on the data volume", () => {
  const scratch = "/var/lib/mysql/restoring-logs";
  const options = replayOptions({ scratch, relay: "/run/mysqld/restore/relay", parameters: { partial_revokes: "ON" } });
  assert.deepEqual([options["tmpdir"], options["replica_load_tmpdir"]], [`${scratch}/tmp`, `${scratch}/tmp`]);
  assert.equal(options["partial_revokes"], "ON");
});

test("a full data volume is named, whatever the server says of it", () => {
  const textWith = (text: string, free: number): string => String(fullOr(new Error(text), { free }));
  assert.match(textWith("The table 't' is full", 2 ** 30), /^Error: The table 't' is full; the data volume is full/);
  assert.match(textWith("errno: 28 - No space left on device", 2 ** 30), /larger storage$/);
  assert.match(textWith("the server waits", 0), /0 MiB free: create the Database again/);
  assert.equal(textWith("Duplicate entry", 2 ** 30), "Error: Duplicate entry");
});
