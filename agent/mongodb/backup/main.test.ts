// A backup of a scripted replica set, and of a server without an oplog, with a mongodump that writes an archive as it was asked to.
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { keptVariable } from "../../../contract/backup-report";
import { archiveOf } from "../../../test/fakes/mongodb/archive";
import { ScriptedServers } from "../../../test/fakes/mongodb/server";
import { initialConfiguration } from "../configuration";
import { DriverServers } from "../connection";
import type { ServerKind } from "../settings";
import { takeBackup } from "./main";

const password = "of backups";
const former = process.env;

let servers: ScriptedServers;
let [directory, backups, programs] = ["", "", ""];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "backup-"));
  [backups, programs] = [join(directory, "backups"), join(directory, "programs")];
  for (const one of [backups, programs]) await mkdir(one);
  await writeFile(join(programs, "archive"), archiveOf([{ n: 1 }]));
  await writeFile(join(programs, "archive--oplog"), archiveOf([{ n: 1 }], [{ op: "i" }]));
  await writeFile(join(programs, "mongodump"), mongodump, { mode: 0o755 });
  servers = await ScriptedServers.listen(1);
  await begin();
});
afterEach(async () => {
  process.env = former;
  servers.close();
  await rm(directory, { recursive: true });
});

/** It leaves its arguments for the test. */
const mongodump = `#!/bin/bash -eu
here=$(dirname "$0")
printf '%s\\n' "$@" >"$here/arguments"
for argument; do
  case $argument in
  --archive=*) to=\${argument#--archive=} ;;
  --oplog) oplog=$argument ;;
  esac
done
cp "$here/archive\${oplog:-}" "$to"
`;

/** A set of one member, with the users that a backup needs. */
async function begin(): Promise<void> {
  const host = servers.set.members[0]?.host ?? "";
  servers.set.start(host);
  const driver = new DriverServers({ address: servers.localAddress(host), password });
  await driver.asNobody({ replSetInitiate: initialConfiguration("orders", host) });
  await driver.close();
  servers.set.member(host).users.push({ name: "backup", database: "admin", password, roles: [] });
}

/** Tells the program where everything is. */
function setUp(server: ServerKind): void {
  process.env = {
    ...former,
    ...{ MONGODB_SERVER: server, MONGODB_HOSTS: servers.set.members[0]?.host, TMPDIR: directory },
    ...{ BACKUP_USER: "backup", BACKUP_PASSWORD: password, BACKUP_RETENTION: "7", [keptVariable]: "" },
    PATH: [programs, former["PATH"]].join(delimiter),
  };
}

const asked = async (): Promise<string[]> => (await readFile(join(programs, "arguments"), "utf8")).trim().split("\n");

test("of a replica set what is written meanwhile is taken along, and the backup is of one moment", async () => {
  setUp("mongod");
  const { backup, consistency, version, cluster, oldest } = (await takeBackup(backups, "orders")).report;
  assert.ok((await asked()).includes("--oplog"));
  assert.deepEqual([consistency, version, oldest], ["OneMoment", "7.0.42", backup]);
  assert.match(cluster ?? "", /^[0-9a-f]{24}$/);
  assert.deepEqual(await readdir(join(backups, backup)), ["about.json", "dump.archive.gz"]);
});

test("FerretDB is not asked for an oplog, and what is taken of it is torn", async () => {
  setUp("ferretdb");
  const { backup, consistency, version, cluster } = (await takeBackup(backups, "orders")).report;
  assert.ok(!(await asked()).includes("--oplog"));
  assert.deepEqual([consistency, version, cluster], ["Torn", undefined, undefined]);
  assert.deepEqual(await readdir(backups), [backup]);
});

test("a dump of a replica set that took no oplog along is none, and nothing stays of it", async () => {
  setUp("mongod");
  await copyFile(join(programs, "archive"), join(programs, "archive--oplog"));
  await assert.rejects(takeBackup(backups, "orders"), /took no oplog along: the backup would not be of one moment/);
  assert.deepEqual(await readdir(backups), []);
});

test("a dump that cannot be read to its end is none", async () => {
  setUp("mongod");
  const archive = await readFile(join(programs, "archive--oplog"));
  await writeFile(join(programs, "archive--oplog"), archive.subarray(0, -1));
  await assert.rejects(takeBackup(backups, "orders"), /unexpected end of file/);
  assert.deepEqual(await readdir(backups), []);
});

test("the password is in no argument, and in a file for the program alone", async () => {
  setUp("mongod");
  await takeBackup(backups, "orders");
  assert.ok(!(await asked()).join(" ").includes(password));
  assert.equal(await readFile(join(directory, "mongodump.yaml"), "utf8"), `password: "${password}"\n`);
});
