// MySQL's drill up to its server, which is a program of the test's own.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { exists } from "../../disk";
import { bytesOf, checksumsOf, writeManifest } from "../copies/manifest";
import { runVerify } from "./main";

const label = "orders-20261121T020003Z";
const environment = process.env;
let [directory, backup, volume] = ["", "", ""];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "verify-"));
  const at = (name: string): string => join(directory, name);
  [backup, volume] = [join(at("backups"), label), at("volume")];
  for (const one of [join(backup, "data", "app"), volume, at("run"), at("programs")])
    await mkdir(one, { recursive: true });
  await writeFile(join(backup, "data", "app", "items.ibd"), "rows");
  await ending("exit 1");
  process.env = {
    ...environment,
    ...{ BACKUP_DIRECTORY: at("backups"), DATA_VOLUME: volume, RUN_DIRECTORY: at("run"), QUERIES_DIRECTORY: at("run") },
    ...{ DATABASE_NAME: "orders", VERIFY_SECONDS: "60" },
    PATH: [at("programs"), environment["PATH"]].join(delimiter),
  };
});
afterEach(async () => {
  process.env = environment;
  await rm(directory, { recursive: true });
});

const ending = (script: string): Promise<void> =>
  writeFile(
    join(directory, "programs", "mysqld"),
    `#!/bin/bash\n[ "$1" = --version ] && { echo "mysqld  Ver 9.7.4 for Linux"; exit; }\n${script}\n`,
    { mode: 0o755 },
  );

async function manifested(server = "9.7.4"): Promise<void> {
  const files = await checksumsOf(join(backup, "data"));
  await writeManifest(backup, { group: "g", server, transactions: "u:1-3", bytes: bytesOf(files), files });
}

/** What a drill ends with; nothing of it stays. */
async function end(): Promise<string> {
  const said = await runVerify().then(
    () => "passed",
    (error: unknown) => String(error),
  );
  assert.deepEqual(await readdir(volume), []);
  return said;
}

test("a file that is not what was written is damage, and named", async () => {
  await manifested();
  await writeFile(join(backup, "data", "app", "items.ibd"), "rowt");
  assert.match(await end(), new RegExp(`${label}: Failed: app/items.ibd has other contents`));
});

test("files without a manifest are damaged; a dump, or one of a later version, cannot be tried", async () => {
  assert.match(await end(), /Failed: .* has no manifest/);
  await writeFile(join(backup, "dump.sql.gz"), "");
  assert.match(await end(), /NotTried: .* is a dump/);
  await manifested("9.8.0");
  assert.match(await end(), /NotTried: .* is of MySQL 9\.8\.0/);
});

test("a server that does not start with it is held against it, and one that is killed is not", async () => {
  await manifested();
  assert.match(await end(), /: Failed: the private server does not start: it ended with 1/);
  await ending("kill -9 $$");
  assert.match(await end(), /: NotTried: the private server does not start: it ended with SIGKILL/);
});

test("what a server complains of is for the log: it may quote data", async () => {
  await manifested();
  await ending('echo "[ERROR] Duplicate entry 4111" >&2; sleep 0.3; exit 1');
  const said = await end();
  assert.match(said, /: Failed: the private server does not start/);
  assert.doesNotMatch(said, /4111/);
});

test("where binary logs are to be kept and none are there yet, the backup alone is restored", async () => {
  await manifested();
  process.env["BINARY_LOGS"] = "kept";
  assert.match(await end(), /: Failed: the private server does not start/);
});

test("no lock of the binary logs is held while the server works: the archive removes what is needed no more", async () => {
  await manifested();
  process.env["BINARY_LOGS"] = "kept";
  const logs = join(directory, "backups", ".binlogs");
  await mkdir(join(logs, "g", "000001-orders-0"), { recursive: true });
  await writeFile(join(logs, ".lock"), "");
  await ending(`flock --exclusive --nonblock "${logs}/.lock" touch "$0.free"; exit 1`);
  assert.match(await end(), /: Failed: the private server does not start/);
  assert.equal(await exists(join(directory, "programs", "mysqld.free")), true);
});

test("without a backup nothing is known", async () => {
  await rm(backup, { recursive: true });
  assert.match(await end(), /NotTried: the backup volume has no complete backup of orders yet/);
});
