// A new MySQL Database with the data of a backup: rows, accounts and grants of another one, passwords and members of its own.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { untilCondition, untilGone, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askMysqlMember, MysqlClient } from "../../harness/real-mysql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "mysql-restore";

export const mysqlRestore = story(namespace, (stage) => {
  rotating(
    "mysql-restore",
    () => {
      tell(stage);
    },
    4,
  );
});

function tell(stage: Stage): void {
  let version: string;
  let image: string;
  let ledger: MysqlClient;
  let again: MysqlClient;
  /** Rows that were acknowledged before the backup was asked for. */
  let acknowledged: readonly string[] = [];

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "mysql"));
    ledger = new MysqlClient(stage.kubectl, namespace, "ledger");
    again = new MysqlClient(stage.kubectl, namespace, "again");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { engine: "mysql", version, storage: "2Gi", ...spec }));

  const ask = (pod: string, sql: string): Promise<string> => askMysqlMember(stage.kubectl, namespace, pod, sql);

  const dataOf = (secret: string): Promise<string> =>
    stage.kubectl("get", "secret", secret, "-n", namespace, "-o", "jsonpath={.data}");

  const podsOf = async (job: string): Promise<string[]> => {
    const selected = ["-l", `batch.kubernetes.io/job-name=${job}`, "-o", "name"];
    return (await stage.kubectl("get", "pods", "-n", namespace, ...selected)).split("\n").filter((pod) => pod !== "");
  };

  test("a backup is taken of a Database that is written to, and whose tables are changed meanwhile", async () => {
    await apply("ledger", { replicas: 1 });
    await untilReady(stage.kubectl, [namespace, "ledger"], minutes(4));
    await ledger.start(image);
    await ledger.startWriting();
    await ledger.untilWriting();
    await ask("ledger-0", `create user reader identified by "reader-1"; grant select on app.acked to reader`);
    // it runs there, so it is enabled in the copy of this only member
    await ledger.ask("create table ticks (n int primary key auto_increment)");
    await ledger.ask("create event tick on schedule every 1 second do insert into app.ticks values ()");
    acknowledged = await ledger.acknowledged();
    await stage.kubectl.apply(databaseBackup("mine", namespace, { database: "ledger", keep: true }));
    const changed = eventually(async () => {
      await ledger.ask("create table other (i int primary key); alter table other add j int; drop table other");
      assert.notEqual(await stage.kubectl("get", "dbb", "mine", "-n", namespace, "-o", "jsonpath={.status.label}"), "");
    }, minutes(3));
    const { size, member } = await untilPhase(stage.kubectl, [namespace, "mine"], "Succeeded");
    await changed;
    assert.equal(member, "ledger-0");
    assert.ok((size ?? 0) > 10_000_000, String(size));
    assert.deepEqual(await ledger.lost(), []);
    await ledger.ask("delete from acked where n > 2");
  });

  test("a Database begins with it, although its pod and the operator are killed: a first member with the data", async () => {
    await apply("again", { replicas: 3, restore: { backup: { name: "mine" } } });
    const [pod = ""] = await eventually(async () => {
      const pods = await podsOf("again-restore");
      assert.ok(pods.length > 0);
      return pods;
    }, minutes(1));
    await stage.kubectl("delete", pod, "-n", namespace, "--force", "--grace-period=0");
    await stage.operator.kill();
    await stage.operator.start();
    await eventually(async () => {
      assert.notEqual(await ask("again-0", "select count(*) from app.acked"), "0");
    }, minutes(3));
  });

  test("it has rows, accounts and grants, passwords of its own, three members, a backup", async () => {
    const view = await untilReady(stage.kubectl, [namespace, "again"], minutes(3));
    assert.equal(view.status.readyReplicas, 3);
    await again.start(image);
    const there = new Set((await again.ask("select n from acked")).split("\n"));
    assert.deepEqual(
      acknowledged.filter((row) => !there.has(row)),
      [],
    );
    const asReader = 'MYSQL_PWD=reader-1 mysql --user=reader -BN --host=again app --execute="$1"';
    const count = await again.run(asReader, "select count(*) from acked");
    assert.equal(count, String(there.size));
    await assert.rejects(again.run(asReader, "delete from acked"), /denied/);
    for (const member of ["again-0", "again-1", "again-2"])
      await eventually(async () => {
        assert.equal(await ask(member, "select count(*) from app.acked"), count);
      }, minutes(1));
    const tick = `select status from information_schema.events where event_name = "tick"`;
    for (const member of ["again-0", "again-1", "again-2"])
      assert.equal(await ask(member, tick), "REPLICA_SIDE_DISABLED", "an event begins only where a person enables it");
    for (const secret of ["system", "credentials"])
      assert.notEqual(await dataOf(`again-${secret}`), await dataOf(`ledger-${secret}`));
    await assert.rejects(ledger.ask("select 1", "again"), /Access denied/);
    assert.equal(await ledger.ask("select count(*) from acked"), "2", "what the backup was taken of stays as it is");
    await again.ask("insert into acked values (1000000)");
    await stage.kubectl.apply(databaseBackup("of-again", namespace, { database: "again" }));
    const { member } = await untilPhase(stage.kubectl, [namespace, "of-again"], "Succeeded");
    assert.match(member ?? "", /^again-\d$/);
  });

  test("in place, under the same name: only once nothing is left by which members would want newer data", async () => {
    const labels = "app=database,database=again,app.kubernetes.io/component=database";
    await stage.kubectl("delete", "database", "again", "-n", namespace, "--timeout=180s");
    await untilGone(stage.kubectl, [namespace, "again"]);
    await stage.kubectl("delete", "pvc", "-n", namespace, "-l", labels);
    await apply("again", { replicas: 1, deletionPolicy: "Delete", restore: { from: { name: "again" } } });
    const refused = { type: "Stalled", status: "True", reason: "RestoreRefused" };
    await untilCondition(stage.kubectl, [namespace, "again"], refused, minutes(1));
    assert.equal(await stage.kubectl.find("pvc", "data-again-0", namespace), undefined);
    await stage.kubectl("delete", "configmap", "again-group", "-n", namespace);
    await untilReady(stage.kubectl, [namespace, "again"], minutes(4));
    assert.equal(await again.ask("select max(n) from acked"), "1000000");
  });
}
