// PostgreSQL back to a moment from a volume: WAL is kept beside the backups, across failovers and the end of the program that keeps it, and a gap in it is
// named.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { backupsIn } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { withoutRoom } from "../../harness/nodes";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "postgresql-moments";
const name = "ledger";
const place = [namespace, name] as const;

export const postgresqlPointInTime = rotatingStory("postgresql-point-in-time", 7, tell, { namespace });

/** The server's clock, in RFC 3339. */
const clock = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let ledger: PostgresqlClient;
  /** Between two commits, after the last one, and behind a gap. */
  let [between, quiet, behind] = ["", "", ""];

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    ledger = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (database: string, spec: Record<string, unknown>): Promise<string> => {
    const alone = { replicas: 1, backup: { enabled: false }, deletionPolicy: "Delete" };
    return stage.kubectl.apply(
      modestDatabase(database, namespace, { version: built.version, storage: "2Gi", ...alone, ...spec }),
    );
  };

  async function primary(): Promise<string> {
    const [found] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(found, "there is no primary");
    return found.name;
  }

  const ofPrimary = async (sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, await primary(), sql);

  const archived = (status: "True" | "False", reason: string): Promise<unknown> =>
    untilCondition(stage.kubectl, place, { type: "ArchiveReady", status, reason }, minutes(4));

  /** Until all that was committed so far is on the volume. */
  async function untilArrived(): Promise<void> {
    const lsn = await ofPrimary("select pg_current_wal_lsn()");
    await eventually(async () => {
      const arrived = `select restart_lsn >= '${lsn}' from pg_replication_slots where slot_name = 'database_archive'`;
      assert.equal(await ofPrimary(arrived), "t");
    }, minutes(2));
  }

  /** The message of a condition, once it is there. */
  async function saidOf(...args: Parameters<typeof untilCondition>): Promise<string> {
    const { status } = await untilCondition(...args);
    return status.conditions.find(({ type }) => type === args[2].type)?.message ?? "";
  }

  const insert = (n: number): Promise<void> =>
    eventually(async () => {
      await ledger.ask(`insert into items values (${n}) on conflict do nothing`);
    }, minutes(2));

  /** Whether the program that keeps the WAL is there. */
  async function keeping(isThere: boolean): Promise<void> {
    const spec = JSON.stringify({ spec: { paused: !isThere } });
    if (!isThere) await stage.kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", spec);
    await stage.kubectl("scale", "deployment", `${name}-archive`, "-n", namespace, `--replicas=${isThere ? 1 : 0}`);
    const selector = "app.kubernetes.io/component=archive";
    if (isThere) await stage.kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", spec);
    else await stage.kubectl("wait", "pod", "-l", selector, "-n", namespace, "--for=delete");
  }

  /** The rows of a new Database that begins with what is kept of this one. */
  async function rowsOf(database: string, restore: Record<string, unknown>): Promise<string> {
    await apply(database, { restore });
    await untilReady(stage.kubectl, [namespace, database], minutes(4));
    const rows = "select string_agg(n::text, ',' order by n) from items";
    const client = new PostgresqlClient(stage.kubectl, { namespace, database, image: built.image });
    const found = await client.ask(rows);
    await client.remove();
    await stage.kubectl("delete", "database", database, "-n", namespace, "--timeout=180s");
    return found;
  }

  const startedAt = (pod: string): Promise<string> =>
    stage.kubectl("get", "pod", pod, "-n", namespace, "-o", "jsonpath={.metadata.uid}");

  test("to switch it on restarts no member, and what is committed arrives beside a backup that is taken at once", async () => {
    await apply(name, { replicas: 2, backup: { enabled: true }, deletionPolicy: "Retain" });
    await untilReady(stage.kubectl, place, minutes(4));
    await untilBackedUp(stage.kubectl, place, minutes(4));
    await ledger.ask("create table items (n int primary key)");
    const pods = await Promise.all([`${name}-0`, `${name}-1`].map(startedAt));
    const backup = { enabled: true, pointInTime: { enabled: true } };
    await apply(name, { replicas: 2, backup, deletionPolicy: "Retain" });
    await archived("True", "ArchiveArriving");
    await eventually(async () => {
      const from = ["get", "database", name, "-n", namespace, "-o", "jsonpath={.status.recoverableFrom}"];
      assert.match(await stage.kubectl(...from), /^\d{4}-.*Z$/);
    }, minutes(3));
    assert.deepEqual(await Promise.all([`${name}-0`, `${name}-1`].map(startedAt)), pods);
    await insert(1);
    await ledger.ask("select pg_sleep(1)");
    between = await ledger.ask(clock);
    await ledger.ask("select pg_sleep(1)");
    await insert(2);
  });

  test("the primary is lost between two segments, and then the program that keeps them: nothing is missing", async () => {
    const former = await primary();
    await ofPrimary("select pg_switch_wal()");
    await insert(3);
    await withoutRoom(stage.kubectl, async () => {
      await stage.kubectl("delete", "pod", former, "-n", namespace, "--force", "--grace-period=0");
      await eventually(async () => {
        assert.notEqual(await primary(), former);
        assert.equal(await ofPrimary("select pg_is_in_recovery()"), "f");
      }, minutes(2));
    });
    await insert(4);
    const selector = "app.kubernetes.io/component=archive";
    await stage.kubectl("delete", "pod", "-l", selector, "-n", namespace, "--force", "--grace-period=0");
    await insert(5);
    await ledger.ask("select pg_sleep(1)");
    quiet = await ledger.ask(clock);
    // what comes from time to time where nothing happens
    await ledger.ask("select pg_sleep(1)");
    await ofPrimary("select pg_current_xact_id()");
    await untilReady(stage.kubectl, place, minutes(4));
    await untilArrived();
    await archived("True", "ArchiveArriving");
  });

  test("a Database begins between two commits that are 2 s apart, with exactly the first", async () => {
    assert.equal(await rowsOf("halfway", { from: { name }, pointInTime: between }), "1");
  });

  test("others begin with everything, over the change of the primary, and with a quiet moment", async () => {
    assert.equal(await rowsOf("whole", { from: { name } }), "1,2,3,4,5");
    assert.equal(await rowsOf("later", { from: { name }, pointInTime: quiet }), "1,2,3,4,5");
  });

  test("a moment before the first backup, and one that has not come, are refused by name", async () => {
    await apply("early", { restore: { from: { name }, pointInTime: "2026-01-01T00:00:00Z" } });
    const refused = { type: "Stalled", status: "True", reason: "RestoreRefused" };
    await untilCondition(stage.kubectl, [namespace, "early"], refused, minutes(1));
    await apply("late", { restore: { from: { name }, pointInTime: "2099-01-01T00:00:00Z" } });
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const message = await saidOf(stage.kubectl, [namespace, "late"], failed, minutes(4));
    assert.match(message, /the backup volume has no change as late as 2099/);
    await stage.kubectl("delete", "database", "early", "late", "-n", namespace, "--timeout=180s");
  });

  test("WAL that the primary gave up before it was copied: the gap is named, and closed by a backup", async () => {
    await keeping(false);
    await insert(6);
    // as much as max_slot_wal_keep_size, and what is kept in any case
    await ofPrimary("create table filler (t text); alter table filler alter t set storage external");
    for (let round = 0; round < 6; round++) {
      await ofPrimary("insert into filler select repeat('x', 1000000) from generate_series(1, 130)");
      await ofPrimary("truncate filler; checkpoint");
    }
    await insert(7);
    behind = await ledger.ask(clock);
    await ledger.ask("select pg_sleep(1)");
    await insert(8);
    await keeping(true);
    await archived("False", "ArchiveGap");
    await archived("True", "ArchiveArriving");
    const triggers = (await backupsIn(stage.kubectl, namespace)).map(({ status }) => status.trigger);
    assert.ok(triggers.includes("ArchiveGap"), triggers.join(" "));
  });

  test("no restore gets across the gap; those to before it and behind the backup that closed it do", async () => {
    await apply("across", { restore: { from: { name }, pointInTime: behind } });
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const message = await saidOf(stage.kubectl, [namespace, "across"], failed, minutes(4));
    assert.match(message, /is missing on the backup volume, and later WAL is there: no restore gets past/);
    await stage.kubectl("delete", "database", "across", "-n", namespace, "--timeout=180s");
    await insert(9);
    await untilArrived();
    assert.equal(await rowsOf("after", { from: { name } }), "1,2,3,4,5,6,7,8,9");
    assert.equal(await rowsOf("before", { from: { name }, pointInTime: between }), "1");
    await ledger.remove();
  });
}
