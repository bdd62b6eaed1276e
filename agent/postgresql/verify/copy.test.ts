// Which backup a drill takes, and what it makes of one that goes meanwhile: with programs that play cp and the server's.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { exists } from "../../disk";
import { roomOn } from "../../volume/room";
import { copyFromVolume, whileThere, type Copied } from "./copy";
import { DrillEnd, type Progress } from "../../verify/decide";

const [older, newer] = ["orders-20261120T020003Z", "orders-20261121T020003Z"];
const environment = process.env;
let [directory, backups, programs] = ["", "", ""];
let progress: Progress;

const program = async (name: string, script: string): Promise<void> => {
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, name), 0o755);
};

async function backup(label: string): Promise<void> {
  await mkdir(join(backups, label));
  await writeFile(join(backups, label, "PG_VERSION"), "17\n");
}

const copy = (): Promise<Copied> =>
  copyFromVolume(
    { backups, database: "orders" },
    { data: join(directory, "volume", "pgdata"), progress, log: () => undefined },
  );

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "verify-"));
  backups = join(directory, "backups");
  programs = join(directory, "programs");
  for (const one of [backups, programs, join(directory, "volume")]) await mkdir(one);
  await program("postgres", "echo 'postgres (PostgreSQL) 17.12'");
  await program("pg_verifybackup", "exit 0");
  process.env = { ...environment, PATH: [programs, environment["PATH"]].join(delimiter) };
  progress = { stage: "", label: undefined, recoverySeconds: undefined, answers: [], omitted: [] };
});
afterEach(async () => {
  process.env = environment;
  await rm(directory, { recursive: true });
});

const findingOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof DrillEnd ? error.finding : String(error);
};

test("the newest complete backup is taken, and nothing is written beside it", async () => {
  await backup(older);
  await backup(newer);
  await mkdir(join(backups, ".partial-orders-20261122T020003Z"));
  await copy();
  assert.equal(progress.label, newer);
  assert.ok(await exists(join(directory, "volume", "pgdata", "PG_VERSION")));
  assert.equal(await exists(join(backups, ".lock")), false);
});

test("a backup that retention removes while it is copied is not damaged: the next one is taken", async () => {
  await backup(older);
  await program(
    "cp",
    `if [ -d ${join(backups, older)} ]; then mv ${join(backups, older)} ${join(backups, newer)}; exit 1; fi\nexec /bin/cp "$@"`,
  );
  await copy();
  assert.equal(progress.label, newer);
});

test("one that cannot be read, or is not what its manifest says, is damaged", async () => {
  await backup(newer);
  await program("pg_verifybackup", "echo 'checksum mismatch for file \"base/5/1259\"' >&2; exit 1");
  assert.equal(await findingOf(copy()), "BackupDamaged");
  await program("cp", "echo 'Input/output error' >&2; exit 1");
  assert.equal(await findingOf(copy()), "BackupDamaged");
});

for (const [name, script, finding] of [
  ["cp", "kill -9 $$", "Interrupted"],
  ["cp", "echo \"cp: error writing '/volume/1': Input/output error\" >&2; exit 1", "Interrupted"],
  ["cp", "echo \"cp: cannot create directory '/volume': No space left on device\" >&2; exit 1", "NoRoom"],
  ["pg_verifybackup", "kill -9 $$", "Interrupted"],
  ["pg_verifybackup", "echo 'pg_verifybackup: error: out of memory' >&2; exit 1", "Interrupted"],
] as const) {
  test(`${name} that ends so is no damage of the backup: ${script}`, async () => {
    await backup(newer);
    await program(name, script);
    assert.equal(await findingOf(copy()), finding);
  });
}

test("where one backup after the other goes while it is copied there is none to look at", async () => {
  await backup("orders-20261120T020003Z");
  const count = join(directory, "count");
  await program(
    "cp",
    `n=$(cat ${count} || echo 1); mv ${backups}/orders-* ${backups}/orders-2026112"$n"T020003Z; echo $((n+1)) >${count}; exit 1`,
  );
  assert.equal(await findingOf(copy()), "NoBackup");
});

test("a file system that is not the volume's own keeps room for others", async () => {
  await backup(newer);
  // of any machine the file system is larger than that, and none has so much free that a fifth is left of more than all
  const { free, total } = await roomOn(directory);
  const expected = free >= total / 5 ? "undefined" : "NoRoom";
  process.env["VERIFY_VOLUME_BYTES"] = "1";
  assert.equal(await findingOf(copy()), expected);
  delete process.env["VERIFY_VOLUME_BYTES"];
  assert.equal(await findingOf(copy()), "undefined");
});

test("without a backup, or with one of another version, nothing is known", async () => {
  assert.equal(await findingOf(copy()), "NoBackup");
  await backup(newer);
  await program("postgres", "echo 'postgres (PostgreSQL) 18.1'");
  assert.equal(await findingOf(copy()), "VersionMismatch");
});

test("that WAL is missing counts while the backup is there that it belongs to", async () => {
  const recovery = {
    ...{ settings: {}, environment: {} },
    problem: (said: string) => Promise.resolve(said === "" ? undefined : "WAL is missing"),
    check: () => Promise.resolve(),
  };
  const problem = (said: string, isThere: boolean): Promise<string | undefined> =>
    whileThere(recovery, () => Promise.resolve(isThere)).problem(said);
  assert.equal(await problem("ended", true), "WAL is missing");
  assert.equal(await problem("", false), undefined);
  await assert.rejects(problem("ended", false), /was removed while the WAL behind it was replayed/);
});
