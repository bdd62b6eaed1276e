// MySQL's backups on a real node, restored by drills with the binary logs behind them: good ones, a byte that flipped, and a log that is missing.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import type { DrillQuery } from "../../../contract/verification-report";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { Drills, flipOnVolume, onBackupVolume, type OfBackups } from "../../harness/drills";
import { eventually, minutes } from "../../harness/eventually";
import { fillFirst, reapply, untilGrown } from "../../harness/grown-volumes";
import { askMysqlMember } from "../../harness/real-mysql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mysql-drill";
const name = "ledger";
const place = [namespace, name] as const;

export const mysqlDrill = rotatingStory("mysql-drill", 7, tell);

const inBackup = 1000;
const behind = 10;

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let where: OfBackups;
  let drills: Drills;
  let label = "";

  const ledger = (queries: readonly DrillQuery[], more: Record<string, unknown> = {}): unknown =>
    modestDatabase(name, namespace, {
      ...{ engine: "mysql", version: built.version, replicas: 1, storage: "2Gi" },
      backup: { pointInTime: { enabled: true }, verify: { queries } },
      ...more,
    });
  const all: DrillQuery = {
    ...{ name: "rows-are-there", sql: "SELECT count(*) FROM items" },
    expect: String(inBackup + behind),
  };

  const ask = (sql: string): Promise<string> => askMysqlMember(stage.kubectl, namespace, `${name}-0`, sql);

  async function applied(...queries: readonly DrillQuery[]): Promise<void> {
    await stage.kubectl.apply(ledger(queries));
    await untilReady(stage.kubectl, place, minutes(4));
  }

  before(async () => {
    built = builtVersion(stage.platform, "mysql");
    where = { namespace, database: name, image: built.image };
    drills = new Drills(stage.kubectl, place);
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await applied(all);
    await untilBackedUp(stage.kubectl, place, minutes(4));
    await ask("create table app.items (n int primary key auto_increment, t varchar(99)) engine = innodb");
    await ask(
      "set session cte_max_recursion_depth = 100000; insert into app.items (t) with recursive r as (select 1 n union all select n + 1 from r where n < 1000) select n from r",
    );
    await stage.kubectl.apply(databaseBackup("good", namespace, { database: name }));
    ({ label = "" } = await untilPhase(stage.kubectl, [namespace, "good"], "Succeeded"));
    // in three files of the binary log
    for (const rows of [4, 3, 3]) {
      for (let row = 0; row < rows; row++) await ask("insert into app.items (t) values (1)");
      await ask("flush binary logs");
    }
    await untilArrived();
  });

  /** Until all that is committed now is on the backup volume. */
  async function untilArrived(): Promise<void> {
    const now = Date.now();
    await eventually(async () => {
      const script = "cat /backup/.binlogs/*/arrived.json";
      const text = await stage.kubectl("exec", "-n", namespace, `deploy/${name}-archive`, "--", "bash", "-c", script);
      const at = Number(/"at":(\d+)/.exec(text)?.[1]);
      assert.ok(at / 1000 > now, text);
    }, minutes(2));
  }

  /** Whether the program that keeps the binary logs is there: it would have a gap closed by another backup. */
  async function keeping(isThere: boolean): Promise<void> {
    const spec = JSON.stringify({ spec: { paused: !isThere } });
    const pause = (): Promise<string> =>
      stage.kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", spec);
    if (!isThere) await pause();
    await stage.kubectl("scale", "deployment", `${name}-archive`, "-n", namespace, `--replicas=${isThere ? 1 : 0}`);
    const selector = "app.kubernetes.io/component=archive";
    if (isThere) await pause();
    else await stage.kubectl("wait", "pod", "-l", selector, "-n", namespace, "--for=delete");
  }

  test("the newest backup is restored with all changes behind it, and asked; its volume goes with the Job", async () => {
    await drills.after("drill-good", "True", "BackupRestored");
    const { recoverySeconds, ...verified } = await drills.verified();
    assert.deepEqual(verified, { name: "good", label });
    assert.ok(recoverySeconds > 0 && recoverySeconds < 180, String(recoverySeconds));
    await drills.untilNoVolume();
  });

  test("a drill without room, one whose pod is killed, and one whose Job is deleted say nothing, and leave no volume", async () => {
    await drills.beginCramped("drill-cramped", 64);
    const message = await drills.found("drill-cramped", "Unknown", "VerificationNotPossible");
    assert.match(message, /write a larger storage/);
    await applied({ name: "long", sql: "SELECT count(*) FROM items, (SELECT SLEEP(300)) AS it" });
    await drills.begin("drill-killed");
    await drills.kill("drill-killed", "Running");
    await stage.operator.kill();
    await stage.operator.start();
    await drills.found("drill-killed", "Unknown", "VerificationNotPossible");
    await drills.begin("drill-removed");
    await stage.kubectl("delete", "job", "drill-removed", "-n", namespace);
    await drills.untilNoVolume();
    assert.equal((await drills.verified()).label, label, "what was verified before stays so");
    await applied(all);
  });

  test("a byte that flipped in the backup is found, and its file is named", async () => {
    await flipOnVolume(stage.kubectl, where, `${label}/data`);
    const message = await drills.after("drill-damaged", "False", "BackupDamaged");
    assert.match(message, new RegExp(`^${label}: .* has other contents`));
    await flipOnVolume(stage.kubectl, where, `${label}/data`);
    await drills.after("drill-mended", "True", "BackupRestored");
  });

  test("a binary log that is missing behind the backup is found", async () => {
    await keeping(false);
    const hide = (isHidden: boolean): Promise<void> =>
      onBackupVolume(stage.kubectl, where, ["bash", "-euc", `cd /backup/.binlogs/*/*-*/; ${moving(isHidden)}`]);
    await hide(true);
    const message = await drills.after("drill-gap", "False", "ArchiveDamaged");
    assert.match(message, /the binary logs behind .* have a gap/);
    await hide(false);
    await keeping(true);
    await untilArrived();
    await drills.after("drill-whole", "True", "BackupRestored");
  });

  test("a query that does not hold is named, and what it returned is not told; one that writes, or reads the server's own, fails", async () => {
    await applied(
      { ...all, expect: "31337" },
      { name: "writes", sql: "WITH r AS (SELECT 1) DELETE FROM items" },
      { name: "pries", sql: "SELECT count(*) FROM mysql.user" },
      { ...all, name: "right" },
    );
    const message = await drills.after("drill-asked", "False", "QueryFailed");
    assert.match(message, /query rows-are-there did not return what it is to/);
    assert.match(message, /query writes failed with SQLSTATE \w{5}.*; query pries failed with SQLSTATE 42000/);
    assert.doesNotMatch(message, /query right|1010|31337/);
    await applied(all);
    await drills.after("drill-right", "True", "BackupRestored");
    await drills.untilNoVolume();
  });

  test("the Database itself was written to by none of them", async () => {
    assert.equal(await ask("select count(*) from app.items"), String(inBackup + behind));
    assert.equal(await ask(`select count(*) from mysql.user where user like "database_verify%"`), "0");
  });

  test("its volume grows, and with the spec of before, applied again, it does not shrink, restart, or cease to be Ready", async () => {
    const why = "what a member says of its volume is why its operator runs";
    stage.platform.witness.disregard(namespace, why, ["quiet"]);
    const volumes = { namespace, database: name, members: 1 };
    const storageAutoGrow = { maxSize: "3Gi" };
    await stage.kubectl.apply(ledger([all], { storageAutoGrow }));
    await untilReady(stage.kubectl, place, minutes(2));
    await fillFirst(stage.kubectl, volumes, { container: "mysql", mount: "/var/lib/mysql", percent: 85 });
    await untilGrown(stage.kubectl, volumes, "3Gi");
    await untilCondition(stage.kubectl, place, { type: "StorageReady", status: "True" }, minutes(2));
    await untilReady(stage.kubectl, place, minutes(2));
    await reapply(stage.kubectl, volumes, ledger([{ ...all, expect: "1" }], { storageAutoGrow }), "3Gi");
    assert.equal(await ask("select count(*) from app.items"), String(inBackup + behind));
  });
}

/** Hides, or shows again, the file in the middle of those behind the backup, and its note: what ends with no number is no such file. */
const moving = (isHidden: boolean): string =>
  isHidden
    ? `file=$(ls | grep -E "^binlog[.][0-9]+$" | tail -3 | head -1); for one in $file $file.json; do mv $one $one.hidden; done`
    : `for one in *.hidden; do mv $one $(basename $one .hidden); done`;
