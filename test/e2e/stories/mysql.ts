// MySQL on a real node: three members with real pods, real volumes and real SQL.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, readDatabase, untilBackedUp, untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import { MysqlClient } from "../../harness/real-mysql";
import { modestDatabase, story } from "../story";
import { members, MysqlGroup } from "./mysql-group";

export const namespace = "mysql";
/** Of its Database. */
export const place = [namespace, "orders"] as const;
const restarted = { long_query_time: "3.5", back_log: "77" };

/** The Database at the end: what follows continues with it. */
export const ordersOf = (version: string, spec: Record<string, unknown> = {}): unknown =>
  modestDatabase("orders", namespace, {
    ...{ engine: "mysql", version, storage: "2Gi", config: restarted },
    backup: { enabled: true, retention: 2 },
    ...spec,
  });

export const mysql = story(namespace, (stage) => {
  let version: string;
  let image: string;
  let client: MysqlClient;
  let group: MysqlGroup;
  /** The primary before the members were restarted. */
  let former = "";

  before(async () => {
    const { kubectl } = stage;
    ({ version, image } = builtVersion(stage.platform, "mysql"));
    client = new MysqlClient(kubectl, namespace, "orders");
    group = new MysqlGroup(kubectl, namespace);
    await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase("orders", namespace, {
        engine: "mysql",
        version,
        storage: "2Gi",
        backup: { enabled: false },
        ...spec,
      }),
    );

  test("apply: three members form a group, and an application uses it with the credentials of its Secret", async () => {
    await apply();
    const view = await untilReady(stage.kubectl, place, minutes(4));
    assert.equal(view.status.readyReplicas, 3);
    await client.start(image);
    await client.ask("create table items (id int primary key); insert into items values (1), (2), (3)");
    assert.equal(await client.ask("select count(*) from items"), "3");
    // as migrations do
    await client.ask("create function always_one() returns int return 1");
    await client.ask("create trigger scaled before insert on items for each row set new.id = new.id * always_one()");
    await client.ask("drop trigger scaled; drop function always_one");
    const uri = new URL(await client.run('echo "$DATABASE_URI"'));
    assert.deepEqual(
      [uri.protocol, uri.username, uri.host, uri.pathname],
      ["mysql:", "app", `orders.${namespace}.svc:3306`, "/app"],
    );
    assert.match(await client.ask("select version()"), new RegExp(`^${version.replace(".", "\\.")}\\.`));
  });

  test("the read-only Service leads to replicas, which have the rows and refuse writes", async () => {
    await eventually(async () => {
      assert.equal(await client.ask("select count(*), @@super_read_only from items", "orders-ro"), "3\t1");
    }, minutes(1));
    await assert.rejects(client.ask("insert into items values (0)", "orders-ro"), /read-only option/);
  });

  test("time zones have names, on every member and in a transaction of the application", async () => {
    const noon = `select convert_tz("2026-07-01 12:00:00", "UTC", "Europe/Berlin")`;
    for (const member of members) {
      await eventually(async () => {
        assert.equal(await group.askMember(member, noon), "2026-07-01 14:00:00");
      }, minutes(1));
    }
    assert.equal(await client.ask(`set time_zone = "Asia/Tokyo"; select from_unixtime(0)`), "1970-01-01 09:00:00");
  });

  test("binary logs are removed where the volumes fill up, the server's own stays, and the group keeps working", async () => {
    const volume = "/var/lib/mysql";
    const fill = `fallocate -l $(($(df -B1 --output=avail ${volume} | tail -1) - 60000000)) ${volume}/filler`;
    const logsOf = async (member: string): Promise<string[]> =>
      (await group.askMember(member, "show binary logs")).split("\n").map((line) => line.split("\t")[0] ?? "");
    const last = new Map<string, string>();
    for (const member of members) {
      for (let flushed = 0; flushed < 3; flushed++) await group.askMember(member, "flush local binary logs");
      const logs = await logsOf(member);
      assert.ok(logs.length > 3, logs.join());
      last.set(member, logs.at(-1) ?? "");
      await group.inMember(member, fill);
    }
    for (const member of members)
      await eventually(async () => {
        assert.deepEqual(await logsOf(member), [last.get(member)]);
      }, minutes(1));
    await client.ask("insert into items values (4); delete from items where id = 4");
    for (const member of members) await group.inMember(member, `rm ${volume}/filler`);
    await group.untilWhole();
  });

  test("the exporter serves metrics, and the application's account reaches its own database only", async () => {
    const script = `fetch("http://127.0.0.1:9187/metrics").then((answer) => answer.text()).then(console.log)`;
    assert.match(await group.inMember("orders-0", `node -e '${script}'`), /^mysql_up 1$/m);
    await assert.rejects(client.ask("select count(*) from mysql.user"), /denied/);
  });

  test("a parameter that needs no restart arrives within seconds, and no member restarts", async () => {
    const servers = await Promise.all(members.map((member) => group.serverOf(member)));
    await apply({ config: { long_query_time: "0.5", slow_query_log: "ON", max_allowed_packet: "32M" } });
    await untilReady(stage.kubectl, place, minutes(2));
    for (const member of members) {
      await eventually(async () => {
        assert.equal(
          await group.askMember(member, "select @@global.long_query_time, @@global.max_allowed_packet"),
          "0.500000\t33554432",
        );
      }, minutes(1));
    }
    assert.deepEqual(await Promise.all(members.map((member) => group.serverOf(member))), servers);
    await client.ask("select sleep(0.6)");
    const slow = 'select count(*) from mysql.slow_log where sql_text like "select sleep%"';
    assert.equal(await group.askMember(await group.primary(), slow), "1");
  });

  test("a parameter that needs a restart rolls the members, and no row is lost", async () => {
    former = await group.primary();
    await client.ask("create table ticks (n int primary key auto_increment)");
    await client.ask("create event tick on schedule every 1 second do insert into ticks values ()");
    await client.ask("create event idle on schedule every 1 second disable do insert into ticks values ()");
    await client.startWriting();
    await apply({ config: restarted });
    await untilReady(stage.kubectl, place, minutes(5));
    for (const member of members) {
      await eventually(async () => {
        assert.equal(await group.askMember(member, "select @@back_log"), "77");
      }, minutes(3));
    }
    await group.untilWhole();
    await client.untilWriting();
    assert.deepEqual(await client.lost(), []);
  });

  test("scheduled events run on at the new primary, and one that a person disabled stays so", async () => {
    const primary = await group.primary();
    assert.notEqual(primary, former);
    const ticks = async (): Promise<number> => Number(await client.ask("select count(*) from ticks"));
    const then = await ticks();
    await eventually(async () => {
      assert.ok((await ticks()) > then + 1);
    }, minutes(1));
    const statuses = 'select group_concat(event_name, " ", status order by 1) from information_schema.events';
    // what a person disabled stays so: its status is still that of the replica that the new primary was
    assert.match(
      await group.askMember(primary, `${statuses} where event_schema = "app"`),
      /^idle \w*DISABLED,tick ENABLED$/,
    );
    await client.ask("drop event tick; drop event idle; drop table ticks");
  });

  test("more memory than any node has, and a buffer pool to match: no member is taken down, servers keep what they have, and a revert leaves everything as it was", async () => {
    const look = async (): Promise<unknown> =>
      Promise.all(
        members.map(async (member) => [
          await group.serverOf(member),
          await group.askMember(member, "select @@innodb_buffer_pool_size"),
        ]),
      );
    const before = await look();
    const memory = "6400Gi";
    await apply({
      config: { ...restarted, innodb_buffer_pool_size: "4000G" },
      resources: { requests: { cpu: "50m", memory }, limits: { memory } },
    });
    await eventually(async () => {
      const told = messageOf(await readDatabase(stage.kubectl, "orders", namespace), "Reconciling");
      assert.match(told, /not yet: no node has 6400Gi of memory \(the largest has [\d.]+Gi\) for a member$/);
    }, minutes(1));
    // the agents look for other parameters every five seconds
    await consistently(async () => {
      assert.equal((await readDatabase(stage.kubectl, "orders", namespace)).status.readyReplicas, 3);
    }, 12_000);
    assert.deepEqual(await look(), before);
    await client.ask("insert into items values (4); delete from items where id = 4");
    await apply({ config: restarted });
    await untilReady(stage.kubectl, place, minutes(2));
    assert.deepEqual(await look(), before);
  });

  test("kubectl scale removes members and brings them back: one that lost its volume copies all data", async () => {
    await client.startWriting();
    await stage.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=1");
    assert.equal((await untilReady(stage.kubectl, place, minutes(3))).status.replicas, 1);
    await client.untilWriting();
    const Data = z.object({ data: z.object({ "record.json": z.string() }) });
    await eventually(async () => {
      const { data } = Data.parse(await stage.kubectl.find("configmap", "orders-group", namespace));
      assert.deepEqual((JSON.parse(data["record.json"]) as { members: unknown }).members, ["orders-0"]);
    }, minutes(1));
    await stage.kubectl("delete", "pvc", "data-orders-2", "-n", namespace);
    await stage.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=3");
    await untilReady(stage.kubectl, place, minutes(4));
    await client.untilWriting();
    assert.deepEqual(await client.lost(), []);
    const count = await client.ask("select count(*) from acked");
    for (const member of members) {
      await eventually(async () => {
        assert.equal(await group.askMember(member, "select count(*) from app.acked"), count);
      }, minutes(1));
    }
    assert.equal((await readDatabase(stage.kubectl, "orders", namespace)).status.readyReplicas, 3);
  });

  test("a backup is taken of a replica, whatever is in the tables, and its Job says what there is", async () => {
    await client.ask(
      "create table large (id int primary key, content longblob); insert into large values (1, repeat(0x61, 30 * 1024 * 1024))",
    );
    await client.ask(
      "create table gone (id int primary key); create view broken as select id from gone; drop table gone",
    );
    await stage.kubectl.apply(ordersOf(version));
    await untilReady(stage.kubectl, place, minutes(4));
    await untilBackedUp(stage.kubectl, place, minutes(2));
    const log = await stage.kubectl("logs", "job/orders-backup-first", "-n", namespace);
    assert.match(log, /^\s*orders-\d{8}T\d{6}Z {2}\d/m);
    const primary = await group.primary();
    assert.ok(
      members.some((member) => member !== primary && log.includes(`"from":"${member}.`)),
      log,
    );
    await client.ask("drop view broken; drop table large");
  });

  test("a DatabaseBackup that is applied takes one", async () => {
    await stage.kubectl.apply(databaseBackup("by-hand", namespace, { database: "orders" }));
    const { label, member, version, size } = await untilPhase(stage.kubectl, [namespace, "by-hand"], "Succeeded");
    assert.match(label ?? "", /^orders-\d{8}T\d{6}Z$/);
    assert.match(member ?? "", /^orders-\d$/);
    assert.match(version ?? "", /^\d+\.\d+/);
    assert.ok(size !== undefined && size > 0);
  });
});
