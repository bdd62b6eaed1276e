// The server's archive_command (images/postgresql/pgbackrest-archive), with a pgBackRest that only notes how it was called.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { archiveFiles } from "../../../contract/archive-note";
import { backupFiles } from "../../../contract/object-storage";

const program = readFileSync(join(__dirname, "../../../images/postgresql/pgbackrest-archive"), "utf8");
const segment = (number: number): string =>
  `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, "0")}`;
const { repository, credentials, encryption } = backupFiles;
const settings = join(repository.directory, repository.file);

interface Member {
  /** The file of this machine for one of the pod. */
  readonly at: (file: string) => string;
  readonly data: string;
  /** Runs the command; how it ended. */
  readonly archive: (path: string, cwd?: string) => { readonly code: number | null; readonly said: string };
  /** How pgBackRest was called: its directory and its arguments. */
  readonly calls: () => readonly string[];
}

/** A member whose volume has so many blocks of 1 KiB, and where so many segments of 1 KiB wait. */
function member(t: TestContext, { blocks = 1_000, waiting = 1, code = 0 } = {}): Member {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "archive-command-")));
  t.after(() => {
    rmSync(root, { recursive: true });
  });
  const at = (file: string): string => join(root, file);
  const data = at("/data/pgdata");
  const directories = [
    "/bin",
    "/run/postgresql",
    repository.directory,
    credentials.directory,
    encryption.directory,
  ].map(at);
  for (const directory of [...directories, join(data, "global"), join(data, "pg_wal/archive_status")])
    mkdirSync(directory, { recursive: true });
  // 7 as the system identifier
  writeFileSync(join(data, "global/pg_control"), Buffer.of(7, 0, 0, 0, 0, 0, 0, 0, 1));
  for (let number = 1; number <= waiting; number++) {
    writeFileSync(join(data, "pg_wal", segment(number)), Buffer.alloc(1024));
    writeFileSync(join(data, "pg_wal/archive_status", `${segment(number)}.ready`), "");
  }
  for (const file of [settings, ...[credentials.id, credentials.secret].map((key) => join(credentials.directory, key))])
    writeFileSync(at(file), "x\n");
  const calls = at("/calls");
  writeFileSync(calls, "");
  writeFileSync(
    at("/bin/pgbackrest"),
    `#!/bin/bash\necho "$PWD $*" >> ${calls}\necho "$PGBACKREST_REPO1_CIPHER_PASS" > ${calls}-passphrase\ncat ${calls}-says 2>/dev/null\nexit $(cat ${calls}-ends 2>/dev/null || echo ${code})\n`,
    { mode: 0o755 },
  );
  writeFileSync(at("/bin/stat"), `#!/bin/bash\necho ${blocks} 1024\n`, { mode: 0o755 });
  const script = program
    .replaceAll("/run/postgresql", at("/run/postgresql"))
    .replaceAll("/etc/database-backup", at("/etc/database-backup"));
  return {
    at,
    data,
    archive: (path, cwd = data) => {
      const env = { PATH: `${at("/bin")}:${process.env["PATH"] ?? ""}` };
      const { status, stderr } = spawnSync("bash", ["--norc", "-c", script, "archive", path], {
        cwd,
        env,
        encoding: "utf8",
      });
      return { code: status, said: stderr };
    },
    calls: () => readFileSync(calls, "utf8").split("\n").filter(Boolean),
  };
}

test("a segment goes to the place of its cluster", (t) => {
  const { archive, calls, data, at } = member(t);
  assert.deepEqual(archive(`pg_wal/${segment(1)}`), { code: 0, said: "" });
  const options = `--config=${at(settings)} --stanza=7 --pg1-path=${data} --archive-timeout=20`;
  assert.deepEqual(calls(), [`${data} ${options} archive-push pg_wal/${segment(1)}`]);
});

test("so does one that Patroni hands over, from anywhere and with its whole path", (t) => {
  const { archive, calls, data } = member(t);
  const path = join(data, "pg_wal", segment(1));
  assert.deepEqual(archive(path, "/"), { code: 0, said: "" });
  assert.match(calls().join(), new RegExp(`^${data} .* --stanza=7 --pg1-path=${data} .* archive-push ${path}$`));
});

test("Patroni waits once where segments do not arrive, and the server each time", (t) => {
  const { archive, calls, data } = member(t, { waiting: 3, code: 82 });
  const codes = [1, 2, 3].map((number) => archive(join(data, "pg_wal", segment(number)), "/").code);
  assert.deepEqual(codes, [82, 1, 1]);
  assert.equal(calls().length, 1);
  for (const number of [1, 2]) assert.equal(archive(`pg_wal/${segment(number)}`).code, 82);
  assert.equal(calls().length, 3);
});

test("without its settings, or a key, segments wait, and it is said for what", (t) => {
  for (const file of [settings, join(credentials.directory, credentials.secret)]) {
    const { archive, calls, at } = member(t, { blocks: 40, waiting: 10 });
    rmSync(at(file));
    const { code, said } = archive(`pg_wal/${segment(1)}`);
    assert.equal(code, 1);
    assert.match(said, new RegExp(`^${at(file)} is not there: `));
    assert.equal(readFileSync(at(archiveFiles.complaint), "utf8"), said);
    assert.deepEqual(calls(), []);
  }
});

test("without them, what is more than a quarter of the volume is given up, and noted", (t) => {
  for (const file of [settings, join(credentials.directory, credentials.id)]) {
    const { archive, at } = member(t, { blocks: 40, waiting: 11 });
    rmSync(at(file));
    assert.equal(existsSync(at(archiveFiles.gap)), false);
    assert.equal(archive(`pg_wal/${segment(1)}`).code, 0, readdirSync(at("/run/postgresql")).join());
    assert.match(
      readFileSync(at(archiveFiles.gap), "utf8"),
      new RegExp(`^${segment(1)} \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z\n$`),
    );
  }
});

const history = "pg_wal/00000002.history";

test("the history of a timeline goes by itself, so that it is not given up with what waits", (t) => {
  const { archive, calls } = member(t);
  assert.equal(archive(history).code, 0);
  assert.match(calls().join(), / --no-archive-async --reset-archive-push-queue-max archive-push .*2\.history$/);
  assert.equal(member(t, { code: 82 }).archive(history).code, 82);
});

test("where the server would be stuck with it, it is sent once something arrives: no restore finds its WAL without", (t) => {
  for (const without of [settings, undefined]) {
    const { archive, at, calls } = member(t, { blocks: 40, waiting: 11, code: without === undefined ? 82 : 0 });
    const kept = readFileSync(at(settings));
    if (without !== undefined) rmSync(at(without));
    assert.equal(archive(history).code, 0);
    assert.match(readFileSync(at(archiveFiles.gap), "utf8"), /^00000002\.history /);
    writeFileSync(at(settings), kept);
    const before = calls().length;
    writeFileSync(at("/calls-ends"), "0");
    assert.equal(archive(`pg_wal/${segment(1)}`).code, 0);
    const pushed = (): (string | undefined)[] =>
      calls()
        .slice(before)
        .map((call) => call.split(" ").at(-1));
    assert.deepEqual(pushed(), [`pg_wal/${segment(1)}`, history]);
    assert.equal(archive(`pg_wal/${segment(2)}`).code, 0);
    assert.equal(pushed().length, 3, "it is sent once");
  }
});

test("where its settings encrypt, nothing is sent without the passphrase, which is no argument", (t) => {
  const { archive, calls, at } = member(t);
  const path = `pg_wal/${segment(1)}`;
  writeFileSync(at(settings), "[global]\nrepo1-cipher-type=aes-256-cbc\n");
  assert.equal(archive(path).code, 1);
  assert.match(readFileSync(at(archiveFiles.complaint), "utf8"), /the Secret of spec\.backup\.encryption must have it/);
  assert.deepEqual(calls(), []);
  writeFileSync(at(join(encryption.directory, encryption.file)), "open sesame \n");
  assert.equal(archive(path).code, 0);
  assert.doesNotMatch(calls().join(), /sesame/);
  assert.equal(readFileSync(at("/calls-passphrase"), "utf8"), "open sesame \n");
  // one that is there too early, for the place that comes next
  writeFileSync(at(settings), "[global]\n");
  assert.equal(archive(path).code, 0);
  assert.equal(readFileSync(at("/calls-passphrase"), "utf8"), "\n");
});

test("what pgBackRest gives up has not arrived: why stays said until something has", (t) => {
  const { archive, at } = member(t);
  writeFileSync(
    at("/calls-says"),
    "WARN: dropped WAL file '000000010000000000000001' because archive queue exceeded 1GB\n",
  );
  writeFileSync(at(archiveFiles.complaint), "ERROR: [049]: unable to connect\n");
  assert.equal(archive(`pg_wal/${segment(1)}`).code, 0);
  const files = [archiveFiles.gap, archiveFiles.dropping, archiveFiles.complaint];
  assert.deepEqual(
    files.filter((file) => existsSync(at(file))),
    files,
  );
  writeFileSync(at("/calls-says"), "");
  assert.equal(archive(`pg_wal/${segment(1)}`).code, 0);
  assert.deepEqual(
    files.filter((file) => existsSync(at(file))),
    [archiveFiles.gap],
  );
});
