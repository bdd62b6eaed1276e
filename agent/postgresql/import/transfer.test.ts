// What dumps and loads, with a pg_dump and a pg_restore of the test's own: they note what they are asked.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import type { Source } from "../../import/source";
import { dumpOf, loadOf, transfer, type Transfer } from "./transfer";

const source: Source = {
  ...{ host: "old-db.example.com", port: 5433, databases: ["shop"], username: "reader", password: "hunter2" },
  ...{ tls: "Verify", authorities: "authorities" },
};
const former = process.env;
let [directory, programs, notes] = ["", "", ""];
let wanted: Transfer;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "transfer-"));
  programs = join(directory, "programs");
  notes = join(directory, "notes");
  await mkdir(programs);
  wanted = {
    ...{
      source,
      snapshot: "00000003-1",
      database: "app",
      schemas: ["ext"],
      withoutRows: [],
      directory: join(directory, "scratch"),
    },
    app: { user: "app", password: "of the application" },
  };
  await program("pg_dump", 'echo "part $*"');
  await program("pg_restore", 'case "$*" in --list*) echo "2; 2615 9 SCHEMA - ext own"; esac; cat >/dev/null');
  process.env = { ...former, PATH: [programs, former["PATH"]].join(delimiter) };
});
afterEach(async () => {
  process.env = former;
  await rm(directory, { recursive: true });
});

const program = (name: string, script: string): Promise<void> =>
  writeFile(join(programs, name), `#!/bin/bash\necho "${name} $*" >>'${notes}'\n${script}\n`, { mode: 0o755 });

const asked = async (): Promise<string[]> => (await readFile(notes, "utf8")).trim().split("\n");

test("definitions are loaded before data, and constraints after them, all of one snapshot", async () => {
  await transfer(wanted, () => undefined);
  const lines = await asked();
  const dumps = lines.filter((line) => line.startsWith("pg_dump"));
  assert.ok(dumps.every((line) => line.includes("--snapshot=00000003-1")));
  const order = lines.map((line) => /--section=(\S+)|--list|scratch\/(\w+)$/.exec(line)?.slice(1).find(Boolean));
  // what is piped begins at the same time
  assert.deepEqual(order.slice(0, 2), ["pre-data", "post-data"]);
  assert.match(lines[2] ?? "", /^pg_restore --list .*scratch\/definitions$/);
  assert.match(lines[3] ?? "", /^pg_restore .*--use-list=.*scratch\/contents .*scratch\/definitions$/);
  assert.deepEqual(
    lines
      .slice(4, 6)
      .map((line) => line.split(" ")[0])
      .sort(),
    ["pg_dump", "pg_restore"],
  );
  assert.match(lines[6] ?? "", /^pg_restore .*scratch\/constraints$/);
  assert.equal((await readFile(join(directory, "scratch", "contents"), "utf8")).trim(), "");
});

test("a dump that fails ends it, and nothing more is loaded", async () => {
  await program("pg_dump", 'case "$*" in *=data*) echo "pg_dump: error: gone" >&2; exit 1; esac');
  await assert.rejects(
    transfer(wanted, () => undefined),
    /pg_dump failed: pg_dump: error: gone/,
  );
  assert.ok(!(await asked()).some((line) => line.endsWith("constraints")));
});

test("no password is in an argument, and no program has the other's", () => {
  const [dump, load] = [dumpOf(wanted, "data"), loadOf(wanted, [])];
  assert.doesNotMatch([...dump.args, ...load.args].join(" "), /hunter2|of the application/);
  assert.equal(dump.environment["PGPASSWORD"], "hunter2");
  assert.equal(load.environment["PGPASSWORD"], "of the application");
  assert.deepEqual([load.environment["PGUSER"], load.environment["PGHOST"]], ["app", "/run/postgresql"]);
});

test("rows of extensions stay where they are, whatever their tables are called", () => {
  const { args } = dumpOf({ ...wanted, withoutRows: [["ext", 'We "ird.t']] }, "data");
  assert.ok(args.includes('--exclude-table-data="ext"."We ""ird.t"'));
});

test("the server is verified by default; to encrypt alone, no authority may be named, by which it would be", () => {
  const { environment } = dumpOf(wanted, "data");
  assert.equal(environment["PGSSLMODE"], "verify-full");
  assert.equal(environment["PGSSLROOTCERT"], join(directory, "scratch", "authorities.pem"));
  const open = dumpOf({ ...wanted, source: { ...source, tls: "Require" } }, "data").environment;
  assert.deepEqual([open["PGSSLMODE"], open["PGSSLROOTCERT"]], ["require", undefined]);
});
