// New PostgreSQL Databases with what object storage has of another one: up to a moment, up to the last of it, and when that one is gone.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "restore-s3";

export const restoreFromObjectStorage = story(namespace, (stage) => {
  rotating(
    "restore-s3",
    () => {
      tell(stage);
    },
    4,
  );
});

/** The server's clock, in RFC 3339. */
const clock = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const rows = "select string_agg(id::text, ',' order by id) from items";

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  /** Between two commits, and after the last one. */
  let [between, quiet] = ["", ""];

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });
  after(() => storage.stop());

  const clientOf = (name: string): PostgresqlClient =>
    new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> => {
    const alone = { replicas: 1, backup: { enabled: false }, deletionPolicy: "Delete" };
    return stage.kubectl.apply(
      modestDatabase(name, namespace, { version: built.version, storage: "2Gi", ...alone, ...spec }),
    );
  };

  const stored = (): unknown => ({ destination: storage.destination, pointInTime: { everySeconds: 10 } });

  const remove = (...names: readonly string[]): Promise<string> =>
    stage.kubectl("delete", "database", ...names, "-n", namespace, "--timeout=180s");

  async function ofPrimary(name: string, sql: string): Promise<string> {
    const [found] = await labelledPrimaries(stage.kubectl, [namespace, name]);
    assert.ok(found, "there is no primary");
    return askPostgresqlMember(stage.kubectl, namespace, found.name, sql);
  }

  const identifierOf = (name: string): Promise<string> =>
    ofPrimary(name, "select system_identifier from pg_control_system()");

  const statusOf = (name: string, path: string): Promise<string> =>
    stage.kubectl("get", "database", name, "-n", namespace, "-o", `jsonpath={.status.${path}}`);

  async function rowsOf(name: string): Promise<string> {
    const client = clientOf(name);
    const found = await client.ask(rows);
    await client.remove();
    return found;
  }

  test("what a Database commits arrives in object storage, and that nothing was committed later as well", async () => {
    await apply("orders", { backup: stored(), deletionPolicy: "Retain" });
    await untilReady(stage.kubectl, [namespace, "orders"], minutes(4));
    await untilBackedUp(stage.kubectl, [namespace, "orders"], minutes(4));
    const orders = clientOf("orders");
    await orders.ask("create table items (id int primary key)");
    await orders.ask("insert into items values (1); select pg_sleep(0.9)");
    between = await orders.ask(clock);
    await orders.ask("select pg_sleep(1)");
    await orders.ask("insert into items values (2)");
    await orders.ask("select pg_sleep(1)");
    quiet = await orders.ask(clock);
    const segment = await ofPrimary("orders", "select pg_walfile_name(pg_current_wal_lsn())");
    await eventually(async () => {
      const archived = await ofPrimary("orders", "select last_archived_wal from pg_stat_archiver");
      assert.ok(archived > segment, archived);
    }, minutes(2));
    await orders.remove();
  });

  test("a Database begins between two commits of another one that are 2 s apart, with exactly the first", async () => {
    const orders = clientOf("orders");
    await apply("earlier", {
      replicas: 2,
      backup: stored(),
      restore: { from: { name: "orders" }, pointInTime: between },
    });
    const view = await untilReady(stage.kubectl, [namespace, "earlier"], minutes(5));
    assert.equal(view.status.readyReplicas, 2);
    const earlier = clientOf("earlier");
    assert.equal(await earlier.ask(rows), "1");
    await eventually(async () => {
      assert.equal(await earlier.ask(rows, "earlier-ro"), "1");
    }, minutes(1));
    assert.equal(await orders.ask(rows), "1,2", "what was backed up stays as it is");
    assert.equal(await statusOf("earlier", "restoredFrom.pointInTime"), between);
    assert.notEqual(await identifierOf("earlier"), await identifierOf("orders"));
    await orders.remove();
    await earlier.remove();
  });

  test("what was restored archives into a place of its own, and is backed up and restored as any other", async () => {
    await untilBackedUp(stage.kubectl, [namespace, "earlier"], minutes(4));
    await stage.kubectl.apply(databaseBackup("of-earlier", namespace, { database: "earlier" }));
    const { location, cluster } = await untilPhase(stage.kubectl, [namespace, "of-earlier"], "Succeeded");
    assert.equal(location, `s3://backups/tests/${namespace}/earlier`);
    assert.equal(cluster, await identifierOf("earlier"));
    await untilCondition(stage.kubectl, [namespace, "earlier"], { type: "ArchiveReady", status: "True" }, minutes(2));
    await apply("second", { restore: { backup: { name: "of-earlier" } } });
    await untilReady(stage.kubectl, [namespace, "second"], minutes(4));
    assert.equal(await rowsOf("second"), "1");
    await remove("second", "earlier");
  });

  test("a moment after the last commit of a quiet database is reached, although the first attempt was killed", async () => {
    await apply("still", { restore: { from: { name: "orders" }, pointInTime: quiet } });
    const pods = ["pods", "-n", namespace, "-l", "batch.kubernetes.io/job-name=still-restore", "-o", "name"];
    const pod = await eventually(async () => {
      const [first = ""] = (await stage.kubectl("get", ...pods)).split("\n");
      assert.notEqual(first, "");
      assert.match(await stage.kubectl("logs", first, "-n", namespace), /restore: copying/);
      return first;
    }, minutes(2));
    await stage.kubectl("delete", pod, "-n", namespace, "--force", "--grace-period=0");
    await stage.operator.kill();
    await stage.operator.start();
    await untilReady(stage.kubectl, [namespace, "still"], minutes(4));
    assert.equal(await rowsOf("still"), "1,2");
    await remove("still");
  });

  test("a moment before the first backup, or behind what has arrived, is refused by name, and leaves no volume", async () => {
    const restore = { from: { name: "orders" } };
    await apply("early", { restore: { ...restore, pointInTime: "2026-01-01T00:00:00Z" } });
    await apply("late", { restore: { ...restore, pointInTime: "2099-01-01T00:00:00+01:00" } });
    const refused = { type: "Stalled", status: "True", reason: "RestoreRefused" };
    await untilCondition(stage.kubectl, [namespace, "early"], refused, minutes(1));
    assert.match(await statusOf("early", "conditions"), /is before the first backup of Database orders/);
    assert.equal(await stage.kubectl.find("pvc", "data-early-0", namespace), undefined);
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    await untilCondition(stage.kubectl, [namespace, "late"], failed, minutes(4));
    assert.match(await statusOf("late", "conditions"), /has no change as late as 2099-01-01T00:00:00\+01:00/);
    await remove("early", "late");
    assert.deepEqual(await stage.kubectl.names("pvc", namespace), ["data-orders-0"]);
  });

  test("restored source: its archive is byte-identical afterwards, and it need not be there any more", async () => {
    await remove("orders");
    await stage.kubectl("delete", "pvc", "data-orders-0", "-n", namespace);
    const place = `tests/${namespace}/orders`;
    const before = await storage.digestOf(place);
    await apply("later", { backup: stored(), restore: { from: { name: "orders" } } });
    const { s3 } = storage.destination;
    await apply("moved", { restore: { s3: { ...s3, prefix: place }, pointInTime: between } });
    await untilReady(stage.kubectl, [namespace, "later"], minutes(4));
    await untilReady(stage.kubectl, [namespace, "moved"], minutes(4));
    assert.equal(await rowsOf("later"), "1,2");
    assert.equal(await rowsOf("moved"), "1");
    await untilBackedUp(stage.kubectl, [namespace, "later"], minutes(4));
    assert.equal(await storage.digestOf(place), before);
    await remove("later", "moved");
  });
}
