// MySQL back to a moment: binary logs are kept beside the backups, across failovers and the end of the program that keeps them, and a gap in them is named.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { backupsIn, databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askMysqlMember, MysqlClient } from "../../harness/real-mysql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mysql-moments";

export const mysqlPointInTime = rotatingStory("mysql-point-in-time", 9, tell, { namespace });

const clock = "select date_format(utc_timestamp(6), '%Y-%m-%dT%H:%i:%s.%fZ')";
const members = ["ledger-0", "ledger-1", "ledger-2"] as const;

function tell(stage: Stage): void {
  let version: string;
  let image: string;
  let ledger: MysqlClient;
  /** Between two commits, after the last one, while nothing was copied, and behind a gap. */
  let [between, quiet, away, behind] = ["", "", "", ""];
  let first = "";

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "mysql"));
    ledger = new MysqlClient(stage.kubectl, namespace, "ledger");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> => {
    const alone = { replicas: 1, backup: { enabled: false }, deletionPolicy: "Delete" };
    return stage.kubectl.apply(
      modestDatabase(name, namespace, { engine: "mysql", version, storage: "2Gi", ...alone, ...spec }),
    );
  };

  const ask = (pod: string, sql: string): Promise<string> => askMysqlMember(stage.kubectl, namespace, pod, sql);

  async function primary(): Promise<string> {
    const [found] = await labelledPrimaries(stage.kubectl, [namespace, "ledger"]);
    assert.ok(found, "there is no primary");
    return found.name;
  }

  const archived = (status: "True" | "False", reason: string): Promise<unknown> =>
    untilCondition(stage.kubectl, [namespace, "ledger"], { type: "ArchiveReady", status, reason }, minutes(4));

  /** Until all that was committed before that moment is on the volume. */
  const untilArrived = (moment: string): Promise<void> =>
    eventually(async () => {
      const script = "cat /backup/.binlogs/*/arrived.json";
      const text = await stage.kubectl("exec", "-n", namespace, "deploy/ledger-archive", "--", "bash", "-c", script);
      const { at } = JSON.parse(text) as { readonly at: number };
      assert.ok(at / 1000 > Date.parse(moment), text);
    }, minutes(2));

  /** The message of a condition, once it is there. */
  async function saidOf(...args: Parameters<typeof untilCondition>): Promise<string> {
    const { status } = await untilCondition(...args);
    return status.conditions.find(({ type }) => type === args[2].type)?.message ?? "";
  }

  const insert = (n: number): Promise<void> =>
    eventually(async () => {
      await ledger.ask(`insert ignore into items values (${n})`);
    }, minutes(2));

  /** Whether the program that keeps the binary logs is there. */
  async function keeping(isThere: boolean): Promise<void> {
    const spec = JSON.stringify({ spec: { paused: !isThere } });
    if (!isThere) await stage.kubectl("patch", "database", "ledger", "-n", namespace, "--type=merge", "-p", spec);
    const replicas = `--replicas=${isThere ? 1 : 0}`;
    await stage.kubectl("scale", "deployment", "ledger-archive", "-n", namespace, replicas);
    const selector = "app.kubernetes.io/component=archive";
    if (isThere) await stage.kubectl("patch", "database", "ledger", "-n", namespace, "--type=merge", "-p", spec);
    else await stage.kubectl("wait", "pod", "-l", selector, "-n", namespace, "--for=delete");
  }

  /** The rows of a new Database that begins with what is kept of this one. */
  async function rowsOf(name: string, restore: Record<string, unknown>): Promise<string> {
    await apply(name, { restore });
    await untilReady(stage.kubectl, [namespace, name], minutes(4));
    const found = await ask(`${name}-0`, "select group_concat(n order by n) from app.items");
    await stage.kubectl("delete", "database", name, "-n", namespace, "--timeout=180s");
    return found;
  }

  test("what a Database commits arrives beside its backups, from the first of them on", async () => {
    const backup = { pointInTime: { enabled: true } };
    await apply("ledger", { replicas: 3, backup, deletionPolicy: "Retain" });
    await untilReady(stage.kubectl, [namespace, "ledger"], minutes(4));
    await untilBackedUp(stage.kubectl, [namespace, "ledger"], minutes(4));
    await archived("True", "ArchiveArriving");
    const from = await stage.kubectl(
      "get",
      "database",
      "ledger",
      "-n",
      namespace,
      "-o",
      "jsonpath={.status.recoverableFrom}",
    );
    assert.match(from, /^\d{4}-.*Z$/);
    first = (await backupsIn(stage.kubectl, namespace))[0]?.metadata.name ?? "";
    await ledger.start(image);
    await ledger.ask("create table items (n int primary key)");
    await insert(1);
    await ledger.ask("select sleep(1)");
    between = await ledger.ask(clock);
    await ledger.ask("select sleep(1)");
    await insert(2);
  });

  test("the primary is killed between two files, and the program that keeps them as well: nothing is missing", async () => {
    const former = await primary();
    // text that looks like an event of a binary log, for who reads what mysqlbinlog prints
    const event = `\n# at 999999\n#261126 11:26:55 server id 1  end_log_pos 127 CRC32 0x0 \tGTID\ttransaction_length=5\nSET @@SESSION.GTID_NEXT= "x"\n`;
    await ledger.ask(`create procedure misleading() select '${event}'`);
    await ask(former, "flush binary logs");
    await insert(3);
    await stage.kubectl("delete", "pod", former, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
    await insert(4);
    const selector = "app.kubernetes.io/component=archive";
    await stage.kubectl(
      "delete",
      "pod",
      "-l",
      selector,
      "-n",
      namespace,
      "--force",
      "--grace-period=0",
      "--wait=false",
    );
    await insert(5);
    await ledger.ask("select sleep(1)");
    quiet = await ledger.ask(clock);
    await untilArrived(quiet);
    await archived("True", "ArchiveArriving");
  });

  test("a person has another member lead between two files: nothing is missing", async () => {
    await untilReady(stage.kubectl, [namespace, "ledger"], minutes(3));
    const former = await primary();
    const other = members.find((member) => member !== former) ?? "";
    await ask(former, "flush binary logs");
    await ask(former, `select group_replication_set_as_primary("${await ask(other, "select @@server_uuid")}")`);
    await eventually(async () => {
      assert.equal(await primary(), other);
    }, minutes(1));
    await insert(0);
    await untilArrived(await ledger.ask(clock));
    await archived("True", "ArchiveArriving");
  });

  test("while the program is away a backup is taken, and members begin other files: no moment before it is lost", async () => {
    await keeping(false);
    await insert(6);
    await ledger.ask("select sleep(1)");
    away = await ledger.ask(clock);
    await ledger.ask("select sleep(1)");
    await insert(7);
    for (const member of members) await ask(member, "flush binary logs");
    await stage.kubectl.apply(databaseBackup("meanwhile", namespace, { database: "ledger" }));
    await untilPhase(stage.kubectl, [namespace, "meanwhile"], "Succeeded");
    await keeping(true);
    await untilArrived(await ledger.ask(clock));
    await archived("True", "ArchiveArriving");
    assert.equal(await rowsOf("away", { from: { name: "ledger" }, pointInTime: away }), "0,1,2,3,4,5,6");
  });

  test("a Database begins between two commits that are 2 s apart, with exactly the first", async () => {
    assert.equal(await rowsOf("halfway", { from: { name: "ledger" }, pointInTime: between }), "1");
  });

  test("others begin with everything, up to the last change or to a quiet moment after it", async () => {
    assert.equal(await rowsOf("whole", { from: { name: "ledger" } }), "0,1,2,3,4,5,6,7");
    assert.equal(await rowsOf("later", { from: { name: "ledger" }, pointInTime: quiet }), "1,2,3,4,5");
  });

  test("a moment before the first backup, and one that has not come, are refused by name", async () => {
    await apply("early", { restore: { from: { name: "ledger" }, pointInTime: "2026-01-01T00:00:00Z" } });
    await untilCondition(
      stage.kubectl,
      [namespace, "early"],
      { type: "Stalled", status: "True", reason: "RestoreRefused" },
      minutes(1),
    );
    await apply("late", { restore: { from: { name: "ledger" }, pointInTime: "2099-01-01T00:00:00Z" } });
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const message = await saidOf(stage.kubectl, [namespace, "late"], failed, minutes(3));
    assert.match(message, /is after what has arrived on the backup volume/);
    await stage.kubectl("delete", "database", "early", "late", "-n", namespace, "--timeout=180s");
  });

  test("logs that members removed before they were copied: the gap is named, and closed by a backup", async () => {
    await keeping(false);
    await insert(8);
    for (const member of members) {
      await ask(member, "flush binary logs");
      await eventually(async () => {
        const logs = (await ask(member, "show binary logs")).split("\n").map((line) => line.split("\t")[0] ?? "");
        await ask(member, `purge binary logs to "${logs.at(-1) ?? ""}"`);
        assert.equal((await ask(member, "show binary logs")).split("\n").length, 1);
      }, minutes(1));
    }
    await insert(9);
    await ledger.ask("select sleep(1)");
    behind = await ledger.ask(clock);
    await ledger.ask("select sleep(1)");
    await keeping(true);
    await archived("False", "ArchiveGap");
    await archived("True", "ArchiveArriving");
    const triggers = (await backupsIn(stage.kubectl, namespace)).map(({ status }) => status.trigger);
    assert.ok(triggers.includes("ArchiveGap"), triggers.join(" "));
  });

  test("behind the gap no restore is possible up to the backup that closed it; plain ones are, and those before and after", async () => {
    await apply("across", { restore: { from: { name: "ledger" }, pointInTime: behind } });
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const message = await saidOf(stage.kubectl, [namespace, "across"], failed, minutes(3));
    assert.match(message, /have a gap, which no restore gets past/);
    await stage.kubectl("delete", "database", "across", "-n", namespace, "--timeout=180s");
    await insert(10);
    await ledger.ask("select sleep(1)");
    await untilArrived(await ledger.ask(clock));
    assert.equal(await rowsOf("after", { from: { name: "ledger" } }), "0,1,2,3,4,5,6,7,8,9,10");
    assert.equal(await rowsOf("before", { from: { name: "ledger" }, pointInTime: between }), "1");
    await apply("plain", { restore: { backup: { name: first } } });
    await untilReady(stage.kubectl, [namespace, "plain"], minutes(4));
    assert.equal(
      await ask("plain-0", `select count(*) from information_schema.tables where table_name = "items"`),
      "0",
    );
  });
}
