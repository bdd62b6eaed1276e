// The restore Job with a mongod and a mongorestore of the test's own: they note what they are asked, and a scripted server answers in their place.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { archiveOf } from "../../../test/fakes/mongodb/archive";
import { ScriptedServers } from "../../../test/fakes/mongodb/server";
import { exists } from "../../disk";
import { runRestore } from "./main";

const label = "orders-20261121T020003Z";
const former = process.env;
const passwords = {
  SUPERUSER_PASSWORD: "of the administrator",
  APP_PASSWORD: "of the application",
  BACKUP_PASSWORD: "of backups",
};

let servers: ScriptedServers;
let [directory, archive, programs, volume] = ["", "", "", ""];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "restore-"));
  const [backups, run] = [join(directory, "backups"), join(directory, "run")];
  [programs, volume] = [join(directory, "programs"), join(directory, "data")];
  for (const one of [backups, run, programs, volume, join(backups, label)]) await mkdir(one);
  archive = join(backups, label, "dump.archive.gz");
  await writeFile(archive, archiveOf([{ n: 1 }], [{ op: "i" }]));
  await writeFile(join(programs, "mongod"), mongod, { mode: 0o755 });
  await answering("exit 0");
  servers = await ScriptedServers.listen(1, { areAlone: true });
  servers.set.start(hostOf());
  process.env = {
    ...former,
    ...{ BACKUP_DIRECTORY: backups, BACKUP_LABEL: label, DATA_VOLUME: volume, RUN_DIRECTORY: run },
    ...{ MONGODB_SERVER: "mongod", APP_USER: "app", APP_DATABASE: "app", BACKUP_USER: "backup", ...passwords },
    PATH: [programs, former["PATH"]].join(delimiter),
  };
});
afterEach(async () => {
  process.env = former;
  servers.close();
  await rm(directory, { recursive: true });
});

const hostOf = (): string => servers.set.members[0]?.host ?? "";
const port = (): number => Number(hostOf().split(":")[1]);

/** It has a file among its data once it runs, and another one once it has ended cleanly. */
const mongod = `#!/bin/bash -eu
data=$(sed -n 's/.*"dbPath":"\\([^"]*\\)".*/\\1/p' "$2")
trap 'touch "$data/ended"; exit 0' TERM
touch "$data/collections"
while :; do sleep 0.05; done
`;

/** Makes the mongorestore that notes its arguments, waits for the server, and then does as the script says. */
const answering = (script: string): Promise<void> => {
  const waits = `until [ -e "${volume}/restoring/collections" ]; do sleep 0.01; done`;
  const lines = ["#!/bin/bash", `printf '%s\\n' "$@" >"$0.arguments"`, waits, script, ""];
  return writeFile(join(programs, "mongorestore"), lines.join("\n"), { mode: 0o755 });
};

const asked = (): Promise<string> => readFile(join(programs, "mongorestore.arguments"), "utf8");
const there = async (): Promise<string[]> => (await readdir(volume)).filter((name) => !name.startsWith("."));

test("all of a replica set's backup is loaded with its oplog, users get new passwords, and then it is in place", async () => {
  // those that mongorestore brings
  const { users } = servers.set.member(hostOf());
  for (const [name, database] of [
    ["root", "admin"],
    ["app", "app"],
    ["reader", "app"],
  ] as const)
    users.push({ name, database, password: "of another Database", roles: [] });
  await runRestore(port());
  const uri = `mongodb://127.0.0.1:${port()}/?directConnection=true`;
  const options = ["--uri", uri, "--gzip", `--archive=${archive}`];
  assert.deepEqual((await asked()).trim().split("\n"), [...options, "--bypassDocumentValidation", "--oplogReplay"]);
  const now = servers.set.member(hostOf()).users.map(({ name, database, password }) => [name, database, password]);
  assert.deepEqual(now.sort(), [
    ["app", "app", passwords.APP_PASSWORD],
    ["backup", "admin", passwords.BACKUP_PASSWORD],
    ["reader", "app", "of another Database"],
    ["root", "admin", passwords.SUPERUSER_PASSWORD],
  ]);
  assert.deepEqual(await there(), ["mongod"]);
  assert.deepEqual((await readdir(join(volume, "mongod"))).sort(), ["collections", "ended"]);
});

test("what arrived of a replica set's backup is compared where nothing was written while it was taken", async () => {
  await writeFile(archive, archiveOf([{ n: 1 }, { n: 2 }], [{ op: "n" }]));
  const { documents } = servers.set.member(hostOf());
  documents.set("app.items", 1);
  await assert.rejects(runRestore(port()), /app\.items has 1 documents, and 2 in the backup/);
  documents.set("app.items", 2);
  await runRestore(port());
  assert.deepEqual(await there(), ["mongod"]);
});

test("nothing of an archive that has changed is loaded, and no data are in place", async () => {
  const stored = await readFile(archive);
  stored[stored.length - 6] = (stored[stored.length - 6] ?? 0) ^ 1;
  await writeFile(archive, stored);
  await assert.rejects(runRestore(port()), new RegExp(`${label} is damaged: .*; choose another backup`));
  await assert.rejects(asked(), /ENOENT/);
  assert.deepEqual(await there(), []);
});

test("where none is named the newest on the volume is loaded, and a later attempt knows its data", async () => {
  delete process.env["BACKUP_LABEL"];
  await runRestore(port());
  assert.match(await asked(), new RegExp(`--archive=${archive}`));
  await mkdir(join(dirname(dirname(archive)), "orders-20261122T020003Z"));
  await runRestore(port());
  assert.deepEqual(await there(), ["mongod"]);
});

test("a copy of a volume that has no lock is read, also where nothing may be written to it", async () => {
  const backups = dirname(dirname(archive));
  await rm(join(backups, ".lock"), { force: true });
  await runRestore(port());
  assert.equal(await exists(join(backups, ".lock")), false);
});

test("a backup of another engine has no archive", async () => {
  await rm(archive);
  await assert.rejects(runRestore(port()), /has no dump\.archive\.gz: it is damaged, or of another engine/);
});

test("an archive of FerretDB is not loaded into mongod, and the other way round", async () => {
  await writeFile(archive, archiveOf([{ n: 1 }]));
  await assert.rejects(runRestore(port()), /was taken of FerretDB, and the image of this version runs mongod/);
  await writeFile(archive, archiveOf([{ n: 1 }], [{ op: "i" }]));
  process.env["MONGODB_SERVER"] = "ferretdb";
  await assert.rejects(runRestore(port()), /was taken of mongod, and the image of this version runs FerretDB/);
  await assert.rejects(asked(), /ENOENT/);
  assert.deepEqual(await there(), []);
});

test("where not all of it could be loaded, no data are in place, and the next attempt begins again", async () => {
  await answering("exit 1");
  await assert.rejects(runRestore(port()), /mongorestore failed \(1\)/);
  assert.deepEqual(await there(), ["restoring"]);
  await answering("exit 0");
  await runRestore(port());
  assert.deepEqual(await there(), ["mongod"]);
});
