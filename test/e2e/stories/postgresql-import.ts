// A new PostgreSQL Database with the data of another server: another Database of the cluster, entered as any server would be.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { messageOf, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askForeign, authorityOf, shop, startForeign } from "../../harness/foreign-postgresql";
import { initializedFrom, killImport } from "../../harness/imports";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "postgresql-import";

export const postgresqlImport = rotatingStory("postgresql-import", 5, tell);

/** Enough that the Job can be killed while it loads. */
const rows = 400_000;

const server = {
  ...{ host: "old", databases: ["app"], credentials: { name: "old-credentials" } },
  // as new Databases have it
  tls: { ca: { name: "old-ca" } },
};

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let old: PostgresqlClient;
  let taken: PostgresqlClient;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    [old, taken] = [clientOf("old"), clientOf("taken")];
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const clientOf = (name: string): PostgresqlClient =>
    new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { version: built.version, storage: "2Gi", ...spec }));

  test("a Secret that is not there is waited for, and nothing is created before", async () => {
    await apply("old", { replicas: 1 });
    await untilReady(stage.kubectl, [namespace, "old"], minutes(3));
    await old.ask(`create table items (id int primary key, text text);
      insert into items select i, md5(i::text) from generate_series(1, ${rows}) i;
      create table empty (id int); create extension hstore;
      create table marked (id int references items, mark hstore); insert into marked values (1, 'a=>1');
      create view seen as select * from items; select lo_from_bytea(0, 'large');
      create policy own on items to app using (true)`);
    await apply("taken", { replicas: 2, initFrom: { ...server, credentials: { name: "of-old" } } });
    const waiting = { type: "Ready", status: "False", reason: "Importing" };
    const view = await untilCondition(stage.kubectl, [namespace, "taken"], waiting, minutes(1));
    assert.match(messageOf(view, "Ready"), /there is no Secret of-old yet/);
    assert.equal(await stage.kubectl.find("pvc", "data-taken-0", namespace), undefined);
  });

  test("with a wrong password nothing starts, and the server's word is told; with the right one the Job begins again", async () => {
    await stage.kubectl(
      ...["create", "secret", "generic", "of-old", "-n", namespace],
      ...["--from-literal=username=app", "--from-literal=password=wrong"],
    );
    const failed = { type: "Stalled", status: "True", reason: "ImportFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "taken"], failed, minutes(4));
    assert.match(messageOf(view, "Stalled"), /password authentication failed/);
    assert.equal(view.status.replicas, 0);
    const password = await stage.kubectl(
      ...["get", "secret", "old-credentials", "-n", namespace, "-o", "jsonpath={.data.password}"],
    );
    await stage.kubectl("patch", "secret", "of-old", "-n", namespace, "-p", JSON.stringify({ data: { password } }));
    await stage.kubectl("delete", "job", "taken-import", "-n", namespace);
    await eventually(async () => {
      const refused = await untilCondition(stage.kubectl, [namespace, "taken"], failed, minutes(2));
      assert.match(
        messageOf(refused, "Stalled"),
        /policies for single roles.*: own on (public\.)?items; make them for/,
      );
    }, minutes(2));
    await old.ask("drop policy own on items");
    await stage.kubectl("delete", "job", "taken-import", "-n", namespace);
  });

  test("cut off while it loads it begins again, and then has all rows of one moment, of which the status tells", async () => {
    await killImport(stage.kubectl, [namespace, "taken"], /loading data/);
    await stage.operator.kill();
    await stage.operator.start();
    const view = await untilReady(stage.kubectl, [namespace, "taken"], minutes(6));
    assert.equal(view.status.readyReplicas, 2);
    const said = await initializedFrom(stage.kubectl, [namespace, "taken"]);
    assert.deepEqual(
      { ...said, version: said.version.split(".")[0] },
      {
        ...{ host: "old", port: 5432, databases: ["app"], version: built.version.split(".")[0] },
        ...{ tables: 3, rows: rows + 1, consistency: "OneMoment" },
      },
    );
    const sum = "select count(*), sum(hashtext(id || text)::bigint), (select count(*) from marked) from items";
    assert.equal(await taken.ask(sum), await old.ask(sum));
    const others =
      "select (select count(*) from pg_largeobject_metadata), (select count(*) from seen), (select tableowner from pg_tables where tablename = 'items')";
    assert.equal(await taken.ask(others), `1|${rows}|app`);
    await eventually(async () => {
      assert.equal(await taken.ask("select count(*), pg_is_in_recovery() from items", "taken-ro"), `${rows}|t`);
    }, minutes(1));
    await taken.ask("insert into items values (0, '')");
    await untilBackedUp(stage.kubectl, [namespace, "taken"], minutes(3));
  });

  test("a server that is no Database is verified: with its authority all rows arrive, with another one nothing begins", async () => {
    const outside = { namespace, name: "outside", image: built.image };
    await startForeign(stage.kubectl, outside);
    await askForeign(
      stage.kubectl,
      outside,
      "create table items as select g as id, md5(g::text) as text from generate_series(1, 1000) g",
    );
    const secret = (name: string, stringData: Readonly<Record<string, string>>): Promise<string> =>
      stage.kubectl.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData });
    await secret("outside", { username: shop.username, password: shop.password });
    for (const which of ["ca", "other"] as const) {
      await secret(`outside-${which}`, { "ca.crt": await authorityOf(stage.kubectl, outside, which) });
      const tls = { ca: { name: `outside-${which}` } };
      const initFrom = { host: outside.name, databases: [shop.database], credentials: { name: "outside" }, tls };
      await apply(`by-${which}`, { replicas: 1, backup: { enabled: false }, deletionPolicy: "Delete", initFrom });
    }
    await untilReady(stage.kubectl, [namespace, "by-ca"], minutes(4));
    const sum = "select count(*), sum(hashtext(id || text)::bigint) from items";
    const arrived = await askPostgresqlMember(stage.kubectl, namespace, "by-ca-0", sum);
    assert.equal(arrived, await askForeign(stage.kubectl, outside, sum));
    const failed = { type: "Stalled", status: "True", reason: "ImportFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "by-other"], failed, minutes(4));
    assert.match(messageOf(view, "Stalled"), /its authority must be in the Secret of initFrom\.tls\.ca/);
    assert.equal(view.status.replicas, 0);
    await stage.kubectl("delete", "database", "by-ca", "by-other", "-n", namespace, "--wait=false");
  });

  test("it is imported once: the field can be removed, and the source as well", async () => {
    await stage.kubectl("delete", "database", "old", "-n", namespace, "--wait=false");
    await apply("taken", { replicas: 2, config: { max_connections: "120" } });
    const through = { type: "Reconciling", status: "False", reason: "Reconciled" };
    await untilCondition(stage.kubectl, [namespace, "taken"], through, minutes(4));
    assert.equal(await taken.ask("select count(*) from items"), String(rows + 1));
    assert.equal(await stage.kubectl.find("job", "taken-import", namespace), undefined);
    assert.equal((await initializedFrom(stage.kubectl, [namespace, "taken"])).rows, rows + 1);
    await Promise.all([old.remove(), taken.remove()]);
  });
}
