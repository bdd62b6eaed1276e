// A new PostgreSQL Database with the data of a backup: of one that is there, and of one that is gone.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "restore";

export const restore = story(namespace, (stage) => {
  rotating(
    "restore",
    () => {
      tell(stage);
    },
    4,
  );
});

function tell(stage: Stage): void {
  let built: BuiltVersion;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const clientOf = (name: string): PostgresqlClient =>
    new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { version: built.version, storage: "2Gi", ...spec }));

  const passwordOf = (secret: string): Promise<string> =>
    stage.kubectl("get", "secret", secret, "-n", namespace, "-o", "jsonpath={.data.password}");

  async function identifierOf(name: string): Promise<string> {
    const [primary] = await labelledPrimaries(stage.kubectl, [namespace, name]);
    assert.ok(primary, `${name} has no primary`);
    return askPostgresqlMember(
      stage.kubectl,
      namespace,
      primary.name,
      "select system_identifier from pg_control_system()",
    );
  }

  test("a Database begins with a backup of another one: its rows, passwords of its own, replicas and backups of its own", async () => {
    const orders = clientOf("orders");
    await apply("orders", { replicas: 1 });
    await untilReady(stage.kubectl, [namespace, "orders"], minutes(3));
    await orders.ask("create table items (id int primary key); insert into items select generate_series(1, 1000)");
    await stage.kubectl.apply(databaseBackup("before-migration", namespace, { database: "orders" }));
    const { label } = await untilPhase(stage.kubectl, [namespace, "before-migration"], "Succeeded");
    await orders.ask("delete from items where id > 10");

    await apply("again", { replicas: 2, restore: { backup: { name: "before-migration" } } });
    const view = await untilReady(stage.kubectl, [namespace, "again"], minutes(4));
    assert.equal(view.status.readyReplicas, 2);
    assert.deepEqual(
      await stage.kubectl("get", "database", "again", "-n", namespace, "-o", "jsonpath={.status.restoredFrom.label}"),
      label,
    );
    const again = clientOf("again");
    assert.equal(await again.ask("select count(*), sum(id) from items"), "1000|500500");
    await eventually(async () => {
      assert.equal(await again.ask("select count(*), pg_is_in_recovery() from items", "again-ro"), "1000|t");
    }, minutes(1));
    assert.notEqual(await identifierOf("again"), await identifierOf("orders"));
    assert.notEqual(await passwordOf("again-credentials"), await passwordOf("orders-credentials"));
    await again.ask("insert into items values (1001)");
    await untilBackedUp(stage.kubectl, [namespace, "again"], minutes(3));
    assert.equal(await orders.ask("select count(*) from items"), "10", "what the backup was taken of stays as it is");
    await Promise.all([orders.remove(), again.remove()]);
  });

  test("what comes from a backup is restarted, changed and continued without it: it is copied once", async () => {
    const again = clientOf("again");
    await apply("again", { replicas: 2, config: { max_connections: "120" } });
    const through = { type: "Reconciling", status: "False", reason: "Reconciled" };
    await untilCondition(stage.kubectl, [namespace, "again"], through, minutes(4));
    await eventually(async () => {
      assert.equal(await again.ask("show max_connections"), "120");
    }, minutes(1));
    assert.equal(await again.ask("select count(*) from items"), "1001");
    assert.equal(await stage.kubectl.find("job", "again-restore", namespace), undefined);
    await again.remove();
    await stage.kubectl("delete", "database", "again", "-n", namespace, "--wait=false");
  });

  test("of a Database that is gone the newest backup is taken, although the first attempt was cut off", async () => {
    await stage.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
    await apply("later", { replicas: 1, deletionPolicy: "Delete", restore: { from: { name: "orders" } } });
    const pods = ["pods", "-n", namespace, "-l", "batch.kubernetes.io/job-name=later-restore", "-o", "name"];
    const pod = await eventually(async () => {
      const [first = ""] = (await stage.kubectl("get", ...pods)).split("\n");
      assert.notEqual(first, "");
      return first;
    }, minutes(2));
    await stage.kubectl("delete", pod, "-n", namespace, "--force", "--grace-period=0");
    await untilReady(stage.kubectl, [namespace, "later"], minutes(4));
    const later = clientOf("later");
    assert.equal(await later.ask("select count(*) from items"), "1000");
    await later.remove();
    await stage.kubectl("delete", "database", "later", "-n", namespace, "--timeout=180s");
  });

  test("data that were kept are not replaced, and the message says what to do", async () => {
    await apply("orders", { replicas: 1, restore: { from: { name: "orders" } } });
    const refused = { type: "Stalled", status: "True", reason: "RestoreRefused" };
    await untilCondition(stage.kubectl, [namespace, "orders"], refused, minutes(1));
    assert.equal(await stage.kubectl.find("statefulset", "orders", namespace), undefined);
    await apply("orders", { replicas: 1, deletionPolicy: "Delete" });
    await untilReady(stage.kubectl, [namespace, "orders"], minutes(3));
    const orders = clientOf("orders");
    assert.equal(await orders.ask("select count(*) from items"), "10");
    await orders.remove();
  });
}
