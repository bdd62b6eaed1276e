// The program of a major upgrade of PostgreSQL with real servers: there, killed at each of its steps, and back; and on a volume that shares no blocks.
import assert from "node:assert/strict";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { refusedExitCode } from "../../contract/upgrade-report";
import { run } from "../../tools/host/command";
import { buildImages } from "../../tools/images/build";
import { ImageRoot } from "../harness/image-root";
import { backup, UpgradeVolume } from "../harness/upgrade-volume";

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
  let volume: UpgradeVolume;
  /** One whose file system has files share no blocks. */
  let plain: UpgradeVolume;

  before(async () => {
    const [built] = await buildImages({ log: () => undefined, only: ["postgresql-17-from-15"] });
    assert.ok(built);
    image = await ImageRoot.unpack(built.archive);
    volume = await UpgradeVolume.make(image, { sharesBlocks: true });
    plain = await UpgradeVolume.make(image, { sharesBlocks: false });
  });
  after(async () => {
    await plain.remove();
    await volume.remove();
    await image.remove();
  });

  test("a rehearsal checks the newest backup by the programs that took it, converts it, and leaves nothing", async () => {
    await volume.clear();
    const printed = await volume.succeeds("rehearse");
    assert.match(printed, new RegExp(`"upgrade":"Rehearsed".*${backup} was upgraded.*"indexes":1`));
    assert.deepEqual(await volume.names(), []);
  });

  test("a backup with a file that is another one than its manifest says is no ground for an upgrade", async () => {
    const file = join(volume.pathOf("backups"), backup, "global", "pg_control");
    const contents = await readFile(file);
    await writeFile(file, Buffer.concat([contents.subarray(0, -1), Buffer.of(1)]));
    const { code, printed } = await volume.act("rehearse");
    await writeFile(file, contents);
    assert.notEqual(code, 0);
    assert.match(printed, /checksum mismatch for file/);
  });

  test("rows, statistics, settings and extensions come along, the index of ICU is built again, and slots are named", async () => {
    await volume.begin();
    const before = await volume.sql(15, rows);
    await volume.begin();
    const printed = await volume.succeeds("convert");
    assert.deepEqual(await volume.names(), [".exchange", "pgdata", "pgdata-15"]);
    assert.equal(await volume.changesIn("pgdata-15"), "");
    assert.match(
      printed,
      /"upgrade":"Converted".*"slots":\["elsewhere"\],"subscriptions":\["app: news"\],"indexes":1,"extensions":\[\]/,
    );
    assert.equal(await volume.sql(17, rows), before);
    assert.equal(await volume.sql(17, rebuilt), "t");
    assert.equal(await volume.sql(17, "show work_mem"), "7MB");
    for (const table of ["items", "parts", "part"])
      assert.equal(
        await volume.sql(17, `select count(*) > 0 from pg_statistic where starelid = '${table}'::regclass`),
        "t",
        table,
      );
    const outdated = "select count(*) from pg_collation where collversion <> pg_collation_actual_version(oid)";
    assert.equal(await volume.sql(17, outdated), "0");
    assert.equal(
      await volume.sql(
        17,
        "select installed_version = default_version from pg_available_extensions where name = 'pg_stat_statements'",
      ),
      "t",
    );
  });

  test("what pg_upgrade stumbles over is told in the words of its logs, without a password, and is not tried again", async () => {
    await volume.begin();
    const setting = "update pg_db_role_setting set setconfig = '{gone_parameter=1}'";
    await volume.sql(15, `alter role known set work_mem = '5MB'; set allow_system_table_mods = on; ${setting}`);
    const { code, printed } = await volume.act("convert");
    assert.equal(code, refusedExitCode);
    const [report] = /\{"upgrade":"Failed".*\}/.exec(printed) ?? [];
    assert.match(report ?? "", /pg_upgrade failed: .*ERROR: unrecognized configuration parameter .*gone_parameter/);
    assert.doesNotMatch(printed, /SCRAM-SHA-256\$/);
  });

  test("a tablespace is refused for good", async () => {
    await volume.begin();
    await mkdir(join(volume.pathOf("pgdata"), "pg_tblspc", "16999"));
    assert.equal((await volume.act("convert")).code, refusedExitCode);
  });

  test("what was converted before members ran with the former files again is converted once more", async () => {
    await volume.begin();
    await volume.succeeds("convert");
    // as it is before the renames
    await mkdir(volume.pathOf("upgrading"));
    await run("chown", ["999:999", volume.pathOf("upgrading")]);
    await rename(volume.pathOf("pgdata"), join(volume.pathOf("upgrading"), "data"));
    await rename(volume.pathOf("pgdata-15"), volume.pathOf("pgdata"));
    await volume.sql(15, "insert into items values (0, 'written since')");
    await volume.succeeds("convert");
    assert.equal(await volume.sql(17, "select count(*) from items where id = 0"), "1");
  });

  test("it is taken back after writes: the former rows are there, and the newer ones are kept beside", async () => {
    await volume.begin();
    await volume.succeeds("convert");
    await volume.sql(17, "insert into items values (0, 'written with 17')");
    await volume.succeeds("return");
    assert.deepEqual(await volume.names(), [".exchange", "pgdata", "pgdata-17"]);
    assert.equal(await volume.changesIn("pgdata"), "");
    assert.equal(await volume.sql(15, "select count(*) from items where id = 0"), "0");
    assert.equal(await volume.sql(15, "select slot_name from pg_replication_slots order by 1"), "elsewhere\norders_1");
    await run("mv", [volume.pathOf("pgdata"), volume.pathOf("pgdata-15")]);
    await run("mv", [volume.pathOf("pgdata-17"), volume.pathOf("pgdata")]);
    assert.equal(await volume.sql(17, "select count(*) from items where id = 0"), "1");
  });

  test("on a volume that shares no blocks it is rehearsed, and carried out with a copy of the contents", async () => {
    await plain.clear();
    assert.match(await plain.succeeds("rehearse"), /"upgrade":"Rehearsed"/);
    await plain.begin();
    const before = await plain.sql(15, rows);
    await plain.begin();
    assert.match(await plain.succeeds("convert"), /copying the files, with their contents/);
    assert.deepEqual(await plain.names(), [".exchange", "pgdata", "pgdata-15"]);
    assert.equal(await plain.changesIn("pgdata-15"), "");
    assert.equal(await plain.sql(17, rows), before);
    // what shared its contents with the former files would have changed them
    assert.equal(await plain.changesIn("pgdata-15"), "");
    await plain.succeeds("return");
    assert.equal(await plain.changesIn("pgdata"), "");
  });

  test("without room for that copy it is refused for good before anything is copied, and the former files are untouched", async () => {
    const refusal =
      /a copy of the files, as the file system of the volume cannot share their blocks.*: write a larger storage/;
    await plain.begin();
    // as much as would do where blocks are shared
    await plain.crowd(264 * 2 ** 20);
    const { code, printed } = await plain.act("convert");
    assert.deepEqual([code, refusal.test(printed)], [refusedExitCode, true], printed);
    assert.equal(await plain.changesIn("pgdata"), "");
    assert.doesNotMatch(printed, /copying/);
    await plain.clear();
    // the rehearsal copies the backup first
    await plain.crowd(330 * 2 ** 20);
    const rehearsal = await plain.act("rehearse");
    assert.deepEqual([rehearsal.code, refusal.test(rehearsal.printed)], [refusedExitCode, true], rehearsal.printed);
    assert.deepEqual(await plain.names(), []);
    await plain.makeRoom();
  });

  test("killed while it copies contents, the next attempt completes it, and the former files are untouched", async () => {
    await plain.begin();
    const { code } = await plain.act("convert", "copying the files, with their contents");
    assert.equal(code, null, "it was killed");
    await plain.succeeds("convert");
    assert.deepEqual(await plain.names(), [".exchange", "pgdata", "pgdata-15"]);
    assert.equal(await plain.changesIn("pgdata-15"), "");
    assert.equal(await plain.sql(17, rebuilt), "t");
  });

  for (const step of steps) {
    test(`killed at "${step}", the next attempt completes it, and the former files are untouched`, async () => {
      await volume.begin();
      const { code } = await volume.act("convert", step);
      assert.equal(code, null, "it was killed");
      await volume.succeeds("convert");
      assert.deepEqual(await volume.names(), [".exchange", "pgdata", "pgdata-15"]);
      assert.equal(await volume.changesIn("pgdata-15"), "");
      assert.equal(await volume.sql(17, rebuilt), "t");
    });

    test(`killed at "${step}", it is taken back all the same`, async () => {
      await volume.begin();
      await volume.act("convert", step);
      await volume.succeeds("return");
      assert.equal(await volume.changesIn("pgdata"), "");
      assert.deepEqual(
        (await volume.names()).filter((name) => name === "upgrading" || name === "pgdata-15"),
        [],
      );
    });
  }
};

suite("a major upgrade of PostgreSQL", upgrades);
