// A new MySQL Database with databases of another server: another Database of the cluster, entered as any server would be.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { initializedFrom, killImport } from "../../harness/imports";
import { askMysqlMember, MysqlClient } from "../../harness/real-mysql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mysql-import";

export const mysqlImport = rotatingStory("mysql-import", 3, tell);

const rows = 100_000;

/** With lines that look like those of a dump. */
const bodied = `delimiter //
create trigger stock_1.moved after insert on stock_1.places for each row begin
INSERT INTO \`stock_1\`.\`moves\` (text) VALUES ("one"),
("two");
INSERT INTO \`moves\` VALUES (null, "CREATE DEFINER=\`keeper\`@\`%\`");
end//`;
const moved = "one,two,CREATE DEFINER=`keeper`@`%`";

function tell(stage: Stage): void {
  let version: string;
  let image: string;
  let taken: MysqlClient;

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "mysql"));
    taken = new MysqlClient(stage.kubectl, namespace, "taken");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { engine: "mysql", version, storage: "2Gi", ...spec }));

  const ask = (pod: string, sql: string): Promise<string> => askMysqlMember(stage.kubectl, namespace, pod, sql);

  // members have certificates that they signed themselves
  const server = { host: "old", databases: ["app", "stock_1"], tls: { mode: "Require" } };

  test("a user who may not see a database gets nothing, and is told what is missing", async () => {
    await apply("old", { replicas: 1 });
    await untilReady(stage.kubectl, [namespace, "old"], minutes(4));
    for (const statement of [
      "create table app.items (id int primary key, text varchar(64), bytes varbinary(32), key (text))",
      `insert /*+ set_var(cte_max_recursion_depth = 1000000) */ into app.items select n, concat(char(39), " (", n, "),("), unhex(sha2(n, 256)) from (with recursive s(n) as (select 1 union all select n + 1 from s where n < ${rows}) select n from s) numbers`,
      "create database stock_1",
      "create table stock_1.places (id int primary key)",
      "create table stock_1.bare (id int primary key)",
      "insert into stock_1.places values (1), (2)",
      "create table stock_1.moves (id int auto_increment primary key, text varchar(64))",
      bodied,
      `create user keeper identified by "k"`,
      "create definer = keeper view stock_1.seen as select * from stock_1.places",
      "create definer = keeper procedure stock_1.one() select 1",
      "create definer = keeper event stock_1.tick on schedule every 1 second do insert into stock_1.places values (null)",
      `create user reader identified by "wrong"`,
      "grant select, show view, trigger, event on app.* to reader",
    ])
      await ask("old-0", statement);
    await stage.kubectl(
      ...["create", "secret", "generic", "of-old", "-n", namespace],
      ...["--from-literal=username=reader", "--from-literal=password=wrong"],
    );
    await apply("taken", { replicas: 3, initFrom: { ...server, credentials: { name: "of-old" } } });
    const failed = { type: "Stalled", status: "True", reason: "ImportFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "taken"], failed, minutes(4));
    assert.match(messageOf(view, "Stalled"), /no database stock_1, or its user may not see it/);
    await ask("old-0", "grant select, show view, event, execute on stock_1.* to reader");
    await stage.kubectl("delete", "job", "taken-import", "-n", namespace);
    await eventually(async () => {
      const refused = await untilCondition(stage.kubectl, [namespace, "taken"], failed, minutes(2));
      const hidden = /hides from its user.*GRANT TRIGGER ON `stock\\_1`\.\*; GRANT SHOW_ROUTINE ON \*\.\*/;
      assert.match(messageOf(refused, "Stalled"), hidden);
    }, minutes(2));
    await ask("old-0", "grant trigger on stock_1.* to reader");
    await ask("old-0", "grant show_routine on *.* to reader");
    await stage.kubectl("delete", "job", "taken-import", "-n", namespace);
  });

  test("cut off while it loads it begins again, and then all members have all rows", async () => {
    await killImport(stage.kubectl, [namespace, "taken"], /"loading"/);
    await stage.operator.kill();
    await stage.operator.start();
    const view = await untilReady(stage.kubectl, [namespace, "taken"], minutes(8));
    assert.equal(view.status.readyReplicas, 3);
    const { tables, rows: imported, consistency } = await initializedFrom(stage.kubectl, [namespace, "taken"]);
    assert.deepEqual([tables, imported, consistency], [4, rows + 2, "OneMoment"]);
    const sum = "select count(*), sum(crc32(concat(id, text, hex(bytes)))) from app.items";
    const expected = await ask("old-0", sum);
    for (const member of ["taken-0", "taken-1", "taken-2"])
      await eventually(async () => {
        assert.equal(await ask(member, sum), expected);
      }, minutes(1));
  });

  test("the application may use all of it, what has a definer is its own, and no event runs", async () => {
    await taken.start(image);
    assert.equal(await taken.ask("select count(*) from stock_1.seen"), "2");
    await taken.ask("insert into stock_1.places values (3); call stock_1.one()");
    assert.equal(await taken.ask("select group_concat(text order by id) from stock_1.moves"), moved);
    const tick = `select concat(status, " ", definer) from information_schema.events where event_name = "tick"`;
    assert.equal(await ask("taken-0", tick), "REPLICA_SIDE_DISABLED app@%");
    assert.equal(await ask("taken-0", `select count(*) from mysql.user where user in ("keeper", "reader")`), "0");
  });
}
