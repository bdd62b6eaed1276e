// The program of a major upgrade of PostgreSQL with real servers: there, killed at each of its steps, and back.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { refusedExitCode } from "../../contract/upgrade-report";
import { discard, MINIMUM_BYTES, provide } from "../../tools/cluster/volumes/loop/loop-device";
import { run } from "../../tools/host/command";
import { buildImages } from "../../tools/images/build";
import { ImageRoot, type Ended } from "../harness/image-root";

const at = "/var/lib/postgresql/data";
/** Those that a rehearsal finds: on a volume of their own where there is a cluster. */
const backups = `${at}/backups`;
const backup = "orders-20261101T000000Z";
const agentPath = "PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin";

/** A cluster of 15 as the image makes it, with what an upgrade may lose. */
const fill = `
set -e
cd /tmp; B=/usr/lib/postgresql/15/bin
$B/initdb -D ${at}/pgdata --encoding=UTF8 --locale=C.UTF-8 --data-checksums -U postgres >/dev/null
$B/pg_ctl -D ${at}/pgdata -w -l /tmp/log -o "-c listen_addresses= -c huge_pages=off" start >/dev/null
$B/psql -qXh /run/postgresql -U postgres -v ON_ERROR_STOP=1 <<'SQL'
CREATE DATABASE app;
ALTER SYSTEM SET work_mem = '7MB';
SELECT pg_create_physical_replication_slot('orders_1', true), pg_create_physical_replication_slot('elsewhere');
CREATE ROLE known PASSWORD 'secret';
\\c app
CREATE EXTENSION pg_stat_statements;
CREATE TABLE items (id int PRIMARY KEY, text text);
INSERT INTO items SELECT g, md5(g::text) FROM generate_series(1, 50000) g;
CREATE TABLE names (name text COLLATE "de-x-icu" PRIMARY KEY);
INSERT INTO names SELECT md5(g::text) FROM generate_series(1, 5000) g;
CREATE COLLATION mine (provider = icu, locale = 'de');
CREATE TABLE parts (id int) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (1000);
INSERT INTO parts SELECT generate_series(0, 999);
ANALYZE parts;
CREATE SUBSCRIPTION news CONNECTION 'host=/nowhere dbname=x' PUBLICATION y WITH (connect = false, slot_name = 'news');
SQL
$B/pg_basebackup --pgdata=${backups}/${backup} --checkpoint=fast --host=/run/postgresql --username=postgres
$B/pg_ctl -D ${at}/pgdata -w -m fast stop >/dev/null
`;

/** Starts a server with what is there, asks, and ends it. */
const ask = (major: number, sql: string): string => `
set -e
cd /tmp; B=/usr/lib/postgresql/${major}/bin
$B/pg_ctl -D ${at}/pgdata -w -l /tmp/log -o "-c listen_addresses= -c huge_pages=off" start >/dev/null || { cat /tmp/log; exit 1; }
$B/psql -XAtqh /run/postgresql -U postgres -d app -v ON_ERROR_STOP=1 -c "${sql}"
$B/pg_ctl -D ${at}/pgdata -w -m fast stop >/dev/null
`;

const rows = "select count(*), sum(hashtext(text)::bigint) from items";
const rebuilt = "select relfilenode <> oid from pg_class where relname = 'names_pkey'";

/** What the program prints before each step. */
const steps = [
  "copying the files, by their blocks",
  "starting PostgreSQL 15 with the copy",
  "making files of PostgreSQL 17",
  "upgrade: upgrading",
  "starting PostgreSQL 17 with what was made",
  "updating extensions",
  "building indexes again",
  "analyzing",
  "writing all of it to the disk",
  "are kept as",
  "are in place",
];

const upgrades = (): void => {
  let image: ImageRoot;
  let directory = "";
  const volume = { file: "", mountPoint: "" };
  const names = async (): Promise<string[]> =>
    (await readdir(volume.mountPoint))
      .filter((name) => ![".lock", ".server.lock", "pristine", "backups"].includes(name))
      .sort();

  before(async () => {
    const [built] = await buildImages({ log: () => undefined, only: ["postgresql-17-from-15"] });
    assert.ok(built);
    image = await ImageRoot.unpack(built.archive);
    directory = await mkdtemp(join(tmpdir(), "upgrade-volume-"));
    volume.file = join(directory, "volume.img");
    volume.mountPoint = join(directory, "volume");
    await provide(volume, 4 * MINIMUM_BYTES);
    await run("chown", ["999:999", volume.mountPoint]);
    const { code, printed } = await image.run(volume.mountPoint, ["bash", "-c", fill]);
    assert.equal(code, 0, printed);
    const [data, pristine] = [join(volume.mountPoint, "pgdata"), join(volume.mountPoint, "pristine")];
    await run("cp", ["--archive", "--reflink=always", data, pristine]);
  });
  after(async () => {
    await discard(volume);
    await image.remove();
    await rm(directory, { recursive: true });
  });

  /** As before any upgrade. */
  async function begin(): Promise<void> {
    for (const name of await names()) await rm(join(volume.mountPoint, name), { recursive: true });
    await run("cp", [
      "--archive",
      "--reflink=always",
      join(volume.mountPoint, "pristine"),
      join(volume.mountPoint, "pgdata"),
    ]);
  }

  function act(name: "rehearse" | "convert" | "return", killAt?: string): Promise<Ended> {
    const majors = ["UPGRADE_FROM=15", "UPGRADE_TO=17", `UPGRADE_ACT=${name}`, "SUPERUSER=postgres"];
    const places = [`DATA_DIRECTORY=${at}/pgdata`, `BACKUP_DIRECTORY=${backups}`, "DATABASE_NAME=orders"];
    const program = [agentPath, ...places, ...majors, "tini", "--", "postgresql-upgrade"];
    return image.run(volume.mountPoint, program, killAt === undefined ? {} : { killAt });
  }

  const sql = async (major: number, text: string): Promise<string> => {
    const { code, printed } = await image.run(volume.mountPoint, ["bash", "-c", ask(major, text)]);
    assert.equal(code, 0, printed);
    return printed.trim();
  };

  /** Not one byte of the former files is another one. */
  const isPristine = (name: string): Promise<string> =>
    run("diff", ["--recursive", "--brief", join(volume.mountPoint, "pristine"), join(volume.mountPoint, name)]);

  async function succeeds(name: "rehearse" | "convert" | "return"): Promise<string> {
    const { code, printed } = await act(name);
    assert.equal(code, 0, printed);
    return printed;
  }

  test("a rehearsal checks the newest backup by the programs that took it, converts it, and leaves nothing", async () => {
    for (const name of await names()) await rm(join(volume.mountPoint, name), { recursive: true });
    const printed = await succeeds("rehearse");
    assert.match(printed, new RegExp(`"upgrade":"Rehearsed".*${backup} was upgraded.*"indexes":1`));
    assert.deepEqual(await names(), []);
  });

  test("a backup with a file that is another one than its manifest says is no ground for an upgrade", async () => {
    const file = join(volume.mountPoint, "backups", backup, "global", "pg_control");
    const contents = await readFile(file);
    await writeFile(file, Buffer.concat([contents.subarray(0, -1), Buffer.of(1)]));
    const { code, printed } = await act("rehearse");
    await writeFile(file, contents);
    assert.notEqual(code, 0);
    assert.match(printed, /checksum mismatch for file/);
  });

  test("rows, statistics, settings and extensions come along, the index of ICU is built again, and slots are named", async () => {
    await begin();
    const before = await sql(15, rows);
    await begin();
    const printed = await succeeds("convert");
    assert.deepEqual(await names(), [".exchange", "pgdata", "pgdata-15"]);
    assert.equal(await isPristine("pgdata-15"), "");
    assert.match(
      printed,
      /"upgrade":"Converted".*"slots":\["elsewhere"\],"subscriptions":\["app: news"\],"indexes":1,"extensions":\[\]/,
    );
    assert.equal(await sql(17, rows), before);
    assert.equal(await sql(17, rebuilt), "t");
    assert.equal(await sql(17, "show work_mem"), "7MB");
    for (const table of ["items", "parts", "part"])
      assert.equal(
        await sql(17, `select count(*) > 0 from pg_statistic where starelid = '${table}'::regclass`),
        "t",
        table,
      );
    const outdated = "select count(*) from pg_collation where collversion <> pg_collation_actual_version(oid)";
    assert.equal(await sql(17, outdated), "0");
    assert.equal(
      await sql(
        17,
        "select installed_version = default_version from pg_available_extensions where name = 'pg_stat_statements'",
      ),
      "t",
    );
  });

  test("what pg_upgrade stumbles over is told in the words of its logs, without a password, and is not tried again", async () => {
    await begin();
    const setting = "update pg_db_role_setting set setconfig = '{gone_parameter=1}'";
    await sql(15, `alter role known set work_mem = '5MB'; set allow_system_table_mods = on; ${setting}`);
    const { code, printed } = await act("convert");
    assert.equal(code, refusedExitCode);
    const [report] = /\{"upgrade":"Failed".*\}/.exec(printed) ?? [];
    assert.match(report ?? "", /pg_upgrade failed: .*ERROR: unrecognized configuration parameter .*gone_parameter/);
    assert.doesNotMatch(printed, /SCRAM-SHA-256\$/);
  });

  test("a tablespace is refused for good", async () => {
    await begin();
    await mkdir(join(volume.mountPoint, "pgdata", "pg_tblspc", "16999"));
    assert.equal((await act("convert")).code, refusedExitCode);
  });

  test("what was converted before members ran with the former files again is converted once more", async () => {
    await begin();
    await succeeds("convert");
    // as it is before the renames
    await mkdir(join(volume.mountPoint, "upgrading"));
    await run("chown", ["999:999", join(volume.mountPoint, "upgrading")]);
    await rename(join(volume.mountPoint, "pgdata"), join(volume.mountPoint, "upgrading", "data"));
    await rename(join(volume.mountPoint, "pgdata-15"), join(volume.mountPoint, "pgdata"));
    await sql(15, "insert into items values (0, 'written since')");
    await succeeds("convert");
    assert.equal(await sql(17, "select count(*) from items where id = 0"), "1");
  });

  test("it is taken back after writes: the former rows are there, and the newer ones are kept beside", async () => {
    await begin();
    await succeeds("convert");
    await sql(17, "insert into items values (0, 'written with 17')");
    await succeeds("return");
    assert.deepEqual(await names(), [".exchange", "pgdata", "pgdata-17"]);
    assert.equal(await isPristine("pgdata"), "");
    assert.equal(await sql(15, "select count(*) from items where id = 0"), "0");
    assert.equal(await sql(15, "select slot_name from pg_replication_slots order by 1"), "elsewhere\norders_1");
    await run("mv", [join(volume.mountPoint, "pgdata"), join(volume.mountPoint, "pgdata-15")]);
    await run("mv", [join(volume.mountPoint, "pgdata-17"), join(volume.mountPoint, "pgdata")]);
    assert.equal(await sql(17, "select count(*) from items where id = 0"), "1");
  });

  for (const step of steps) {
    test(`killed at "${step}", the next attempt completes it, and the former files are untouched`, async () => {
      await begin();
      const { code } = await act("convert", step);
      assert.equal(code, null, "it was killed");
      await succeeds("convert");
      assert.deepEqual(await names(), [".exchange", "pgdata", "pgdata-15"]);
      assert.equal(await isPristine("pgdata-15"), "");
      assert.equal(await sql(17, rebuilt), "t");
    });

    test(`killed at "${step}", it is taken back all the same`, async () => {
      await begin();
      await act("convert", step);
      await succeeds("return");
      assert.equal(await isPristine("pgdata"), "");
      assert.deepEqual(
        (await names()).filter((name) => name === "upgrading" || name === "pgdata-15"),
        [],
      );
    });
  }
};

suite("a major upgrade of PostgreSQL", upgrades);
