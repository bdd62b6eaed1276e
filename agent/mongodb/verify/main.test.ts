// MongoDB's drill with a mongod and a mongorestore of the test's own: a scripted server answers in their place.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { archiveOf } from "../../../test/fakes/mongodb/archive";
import { ScriptedServers } from "../../../test/fakes/mongodb/server";
import { exists } from "../../disk";
import { runVerify } from "./main";

const label = "orders-20261121T020003Z";
const former = process.env;
let servers: ScriptedServers;
let [directory, archive, volume] = ["", "", ""];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "verify-"));
  const at = (name: string): string => join(directory, name);
  volume = at("data");
  for (const one of [at("backups"), at("run"), at("programs"), volume, join(at("backups"), label)]) await mkdir(one);
  archive = join(at("backups"), label, "dump.archive.gz");
  await writeFile(archive, archiveOf([{ n: 1 }, { n: 2 }], [{ op: "n" }]));
  await program("mongod", mongod);
  await answering("exit 0");
  servers = await ScriptedServers.listen(1, { areAlone: true });
  servers.set.start(hostOf());
  servers.set.member(hostOf()).documents.set("app.items", 2);
  process.env = {
    ...former,
    ...{ BACKUP_DIRECTORY: at("backups"), DATA_VOLUME: volume, RUN_DIRECTORY: at("run"), MONGODB_SERVER: "mongod" },
    ...{ DATABASE_NAME: "orders", VERIFY_SECONDS: "60" },
    PATH: [at("programs"), former["PATH"]].join(delimiter),
  };
});
afterEach(async () => {
  process.env = former;
  servers.close();
  await rm(directory, { recursive: true });
});

const hostOf = (): string => servers.set.members[0]?.host ?? "";
const program = (name: string, text: string): Promise<void> =>
  writeFile(join(directory, "programs", name), text, { mode: 0o755 });

/** It has a file among its data once it runs. */
const mongod = `#!/bin/bash -eu
data=$(sed -n 's/.*"dbPath":"\\([^"]*\\)".*/\\1/p' "$2")
echo $$ >"$data/collections"
trap 'exit 0' TERM
while :; do sleep 0.05; done
`;

const answering = (script: string): Promise<void> => {
  const waits = `until [ -s "${volume}/mongod/collections" ]; do sleep 0.01; done`;
  return program("mongorestore", `#!/bin/bash\ntouch "$0.ran"\n${waits}\n${script}\n`);
};

const wasLoaded = (): Promise<boolean> => exists(join(directory, "programs", "mongorestore.ran"));

/** What a drill ends with; nothing of it stays. */
async function end(): Promise<string> {
  const said = await runVerify(Number(hostOf().split(":")[1])).then(
    () => "passed",
    (error: unknown) => String(error),
  );
  assert.deepEqual(await readdir(volume), []);
  return said;
}

test("what arrived is what is in the archive, and is valid: it passes", async () => {
  assert.equal(await end(), "passed");
  assert.equal(await wasLoaded(), true);
});

test("collections are compressed as those of members: what fits there fits here", async () => {
  process.env["BLOCK_COMPRESSOR"] = "zstd";
  assert.equal(await end(), "passed");
  assert.match(await readFile(join(directory, "run", "private.json"), "utf8"), /"blockCompressor":"zstd"/);
});

test("an archive in which a byte has changed is damaged, and none of it is loaded", async () => {
  const stored = await readFile(archive);
  stored[stored.length - 6] = (stored[stored.length - 6] ?? 0) ^ 1;
  await writeFile(archive, stored);
  assert.match(await end(), new RegExp(`${label}: Failed: `));
  assert.equal(await wasLoaded(), false);
  await rm(archive);
  assert.match(await end(), /Failed: .* has no dump\.archive\.gz: it is damaged/);
});

test("documents that did not arrive, and a collection that is not valid, are damage", async () => {
  servers.set.member(hostOf()).documents.set("app.items", 1);
  assert.match(await end(), /: Failed: collection app\.items has 1 documents, and 2 in the backup/);
  servers.set.member(hostOf()).documents.set("app.items", 2);
  servers.set.member(hostOf()).invalid.add("app.items");
  assert.match(await end(), /: Failed: collection app\.items is not valid; the log of the drill says how/);
});

test("an archive that is not taken in is held against it, and a program that was killed is not", async () => {
  await answering("exit 1");
  assert.match(await end(), /: Failed: mongorestore failed \(1\)/);
  await answering("kill -9 $$");
  assert.match(await end(), /: NotTried: mongorestore failed \(SIGKILL\)/);
});

test("a server that does not start is held against it, and one that is killed is not", async () => {
  servers.set.kill(hostOf());
  await program("mongod", "#!/bin/bash\nexit 14\n");
  assert.match(await end(), /: Failed: the private server does not start: it ended with 14/);
  await program("mongod", "#!/bin/bash\nkill -9 $$\n");
  assert.match(await end(), /: NotTried: the private server does not start: it ended with SIGKILL/);
});

test("an archive of FerretDB says nothing in a mongod", async () => {
  await writeFile(archive, archiveOf([{ n: 1 }]));
  assert.match(await end(), /: NotTried: .* was taken of FerretDB/);
});
