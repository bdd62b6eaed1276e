import assert from "node:assert/strict";
import test from "node:test";
import { fullOr, replayOptions } from "./replay";

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
