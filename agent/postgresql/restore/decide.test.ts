import assert from "node:assert/strict";
import test from "node:test";
import { formerSettings, leftOut, serverArguments, unfitFor, withRoom } from "./decide";

const label = "orders-20261121T020003Z";

test("files of the server's major version are fit, others and those that do not say it are not", () => {
  assert.equal(unfitFor(label, "17", "17"), undefined);
  assert.match(unfitFor(label, undefined, "17") ?? "", /damaged/);
  assert.match(
    unfitFor(label, "15", "17") ?? "",
    /is of PostgreSQL 15, and the image of PostgreSQL 17: write a version of 15/,
  );
});

const control = `pg_control version number:            1700
max_connections setting:              200
max_worker_processes setting:         8
max_wal_senders setting:              24
max_prepared_xacts setting:           64
max_locks_per_xact setting:           64
track_commit_timestamp setting:       on
`;

test("the WAL is replayed with the settings that it was written under", () => {
  assert.deepEqual(formerSettings(control), {
    max_connections: "200",
    max_worker_processes: "8",
    max_prepared_transactions: "64",
    max_locks_per_transaction: "64",
    track_commit_timestamp: "on",
  });
  assert.throws(() => formerSettings(control.replace(/^max_prepared.*\n/m, "")), /"max_prepared_xacts setting"/);
});

test("it is replayed with room for more prepared transactions, which the former server may have been given later", () => {
  const former = formerSettings(control);
  assert.deepEqual(withRoom(former), { ...former, max_prepared_transactions: "1000" });
  assert.equal(withRoom({ ...former, max_prepared_transactions: "5000" }).max_prepared_transactions, "5000");
});

test("the server that finishes it is reached by nobody, and reaches nobody", () => {
  const places = {
    data: "/data/restoring",
    socket: "/run",
    config: "/run/a.conf",
    hostBasedAuthentication: "/run/hba",
  };
  const args = serverArguments(places, formerSettings(control));
  assert.deepEqual(args.slice(0, 2), ["-D", "/data/restoring"]);
  for (const setting of [
    "listen_addresses=",
    "archive_mode=off",
    "max_logical_replication_workers=0",
    "max_wal_senders=0",
    "wal_level=replica",
    "shared_preload_libraries=",
    "max_prepared_transactions=64",
    "recovery_min_apply_delay=0",
    "recovery_end_command=",
    "archive_cleanup_command=",
    "default_transaction_read_only=off",
    "hba_file=/run/hba",
    "config_file=/run/a.conf",
  ])
    assert.ok(args.includes(setting), setting);
});

test("a copy of a replica becomes no replica", () => {
  assert.ok(leftOut.includes("standby.signal"));
  assert.ok(leftOut.includes("patroni.dynamic.json"));
});
