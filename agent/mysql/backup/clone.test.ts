import assert from "node:assert/strict";
import test from "node:test";
import { privateOptions } from "../private-server";
import { cloneStatement } from "./clone";

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
