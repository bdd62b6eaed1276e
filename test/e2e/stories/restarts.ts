// Restarts of real PostgreSQL members: in which order, how often another one is promoted, and what a setting does with which
// the server does not start.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { valueOf } from "../../../operator/api/quantity";
import { eventMessages } from "../../drift/children";
import { messageOf, readDatabase, untilCondition, untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import { builtVersion } from "../../harness/built-versions";
import { deletePods } from "../../harness/pods";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "restarts";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1", "orders-2"];
const Node = z.object({ status: z.object({ allocatable: z.object({ memory: z.string() }) }) });
const rejected = { type: "Stalled", status: "True", reason: "ConfigRejected" };

/** No pod of these has a share of huge pages: the server does not start. */
const preventing = { huge_pages: "on" };

/** So that slots of change streams outlive a primary: as docs/databases/postgresql.md says. */
const replicated = { wal_level: "logical", sync_replication_slots: "on", hot_standby_feedback: "on" };

export const restarts = story(namespace, (stage) => {
  let version: string;
  let client: PostgresqlClient;

  before(async () => {
    const built = builtVersion(stage.platform, "postgresql");
    ({ version } = built);
    client = new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image: built.image });
    await apply();
    await untilReady(stage.kubectl, place, minutes(4));
    await ask("create table items (id int primary key); insert into items select generate_series(1, 100)");
  });

  const ask = (sql: string, service?: string): Promise<string> => client.ask(sql, service);

  const apply = (config: Readonly<Record<string, string>> = {}, spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase("orders", namespace, {
        version,
        storage: "2Gi",
        deletionPolicy: "Delete",
        backup: { enabled: false },
        config: { ...replicated, ...config },
        ...spec,
      }),
    );

  const askMember = (pod: string, sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, sql);

  /** Returns when the server is gone. */
  const killServer = async (pod: string): Promise<void> => {
    const script =
      "pid=$(head -n 1 /var/lib/postgresql/data/pgdata/postmaster.pid); kill -9 $pid; tail --pid=$pid -f /dev/null";
    await stage.kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", "bash", "-c", script);
  };

  /** How many promotions there were: each begins a timeline. */
  const promotions = async (): Promise<number> =>
    Number.parseInt(await ask("select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"), 16);

  const primaryNow = async (): Promise<string> =>
    (await readDatabase(stage.kubectl, "orders", namespace)).status.primary;

  /** The uid of each member's pod. */
  async function podsNow(): Promise<Record<string, string>> {
    const text = await stage.kubectl(
      "get",
      "pod",
      ...members,
      "-n",
      namespace,
      "-o",
      "jsonpath={.items[*].metadata.uid}",
    );
    const uids = text.split(" ");
    return Object.fromEntries(members.map((member, index) => [member, uids[index] ?? ""]));
  }

  test("a parameter that needs a restart reaches the replicas first and the primary last, by one promotion, and no row is lost", async () => {
    const [primary, before] = [await primaryNow(), await promotions()];
    await apply({ max_connections: "150" });
    const view = await untilReady(stage.kubectl, place, minutes(4));
    const told = await eventMessages(stage.kubectl, namespace, "Restarting");
    const order = [...told.matchAll(/restarting (\S+): (\d) of 3 \((\S+)\); why: max_connections 100 → 150/g)];
    const replicas = members.filter((member) => member !== primary).reverse();
    assert.deepEqual(order.map(([, member, position, role]) => `${position} ${member} ${role}`).sort(), [
      ...replicas.map((member, index) => `${index + 1} ${member} replica`),
      `3 ${primary} primary`,
    ]);
    assert.notEqual(view.status.primary, primary);
    assert.equal(await promotions(), before + 1);
    assert.equal(await ask("show max_connections"), "150");
    await eventually(async () => {
      assert.equal(await ask("show max_connections", "orders-ro"), "150");
    }, minutes(1));
    assert.equal(await ask("select count(*) from items"), "100");
  });

  test("a setting that prevents start stops at the first member, the others keep serving, and reverting it heals", async () => {
    const [primary, before, promoted] = [await primaryNow(), await podsNow(), await promotions()];
    const first = members.filter((member) => member !== primary).at(-1) ?? "";
    await apply({ max_connections: "150", ...preventing });
    const { status } = await untilCondition(stage.kubectl, place, rejected, minutes(3));
    const message = status.conditions.find(({ type }) => type === "Stalled")?.message ?? "";
    assert.match(message, new RegExp(`^${first}, .*start failed.*huge_pages off → on.*revert it`));
    // the server is tried again every few seconds: nothing moves meanwhile
    await consistently(async () => {
      const { status: now } = await readDatabase(stage.kubectl, "orders", namespace);
      assert.deepEqual([now.primary, now.readyReplicas], [primary, 2]);
      assert.ok(now.conditions.some(({ reason }) => reason === "ConfigRejected"));
    }, 20_000);
    await ask("insert into items values (101)");
    const other = members.find((member) => member !== primary && member !== first) ?? "";
    await killServer(other);
    // it starts with what its pod brought
    await eventually(async () => {
      assert.equal(await askMember(other, "show huge_pages"), "off");
    }, minutes(1));
    await apply({ max_connections: "150" });
    await untilReady(stage.kubectl, place, minutes(3));
    assert.deepEqual({ ...(await podsNow()), [first]: "" }, { ...before, [first]: "" });
    assert.equal(await promotions(), promoted);
    assert.equal(await ask("select count(*) from items"), "101");
  });

  test("after a rejected setting a correction reaches all members", async () => {
    await apply({ max_connections: "150", ...preventing });
    await untilCondition(stage.kubectl, place, rejected, minutes(3));
    await apply({ max_connections: "160" });
    await untilReady(stage.kubectl, place, minutes(4));
    assert.equal(await ask("show max_connections"), "160");
    assert.equal(await ask("select count(*) from items"), "101");
  });

  rotating(
    "restarts-in-place",
    () => {
      test("a lower limit, of which replicas may not have less than their primary, is in force once each server has restarted in place", async () => {
        await apply({ max_connections: "120" });
        await untilReady(stage.kubectl, place, minutes(4));
        for (const member of members) {
          await eventually(async () => {
            const show = ["psql", "-XAtqc", "show max_connections"];
            assert.equal(
              (await stage.kubectl("exec", "-n", namespace, member, "-c", "postgresql", "--", ...show)).trim(),
              "120",
            );
          }, minutes(3));
        }
        assert.equal(await ask("select count(*) from items"), "101");
      });

      test("a logical slot outlives a killed server and, as a failover slot, its primary", async () => {
        const slots =
          "select string_agg(slot_name, ',' order by slot_name) from pg_replication_slots where slot_type = 'logical' and not temporary";
        const primary = await primaryNow();
        await askMember(primary, "select pg_create_logical_replication_slot('cdc', 'pgoutput', failover => true)");
        // one that Patroni does not know of, and that no other member has
        await askMember(primary, "select pg_create_logical_replication_slot('own', 'pgoutput')");
        await killServer(primary);
        // where it was created, and as copies that last
        for (const member of members) {
          await eventually(async () => {
            assert.equal(await askMember(member, slots), member === primary ? "cdc,own" : "cdc");
          }, minutes(2));
        }
        await askMember(primary, "select pg_drop_replication_slot('own')");
        const before = await primaryNow();
        await deletePods(stage.kubectl, namespace, [before]);
        await eventually(async () => {
          assert.notEqual(await primaryNow(), before);
        }, minutes(1));
        await untilReady(stage.kubectl, place, minutes(3));
        // it can be read on: what was written meanwhile is in it
        const [now, table] = [await primaryNow(), "create table streamed (id int)"];
        await askMember(now, `${table}; select pg_replication_slot_advance('cdc', pg_current_wal_lsn())`);
        await askMember(now, "select pg_drop_replication_slot('cdc')");
      });
    },
    2,
  );

  rotating("full-node", () =>
    test("a node that has room for one larger member: the second waits for room, no other is touched, and reverting it heals", async () => {
      await apply({ max_connections: "120" });
      await untilReady(stage.kubectl, place, minutes(4));
      const [primary, promoted] = [await primaryNow(), await promotions()];
      const memory = `${Math.floor(((await largestNode()) * 0.55) / 2 ** 20)}Mi`;
      await apply({ max_connections: "120" }, { resources: { requests: { cpu: "50m", memory }, limits: { memory } } });
      await eventually(async () => {
        const told = messageOf(await readDatabase(stage.kubectl, "orders", namespace), "Reconciling");
        assert.match(
          told,
          /orders-\d does not come back: Unschedulable: .*; no other member is restarted until it does/,
        );
      }, minutes(3));
      await consistently(async () => {
        const { status: now } = await readDatabase(stage.kubectl, "orders", namespace);
        assert.deepEqual([now.primary, now.readyReplicas], [primary, 2]);
      }, 10_000);
      await ask("insert into items values (102)");
      await apply({ max_connections: "120" });
      await untilReady(stage.kubectl, place, minutes(4));
      assert.equal(await promotions(), promoted);
      assert.equal(await ask("select count(*) from items"), "102");
    }),
  );

  /** What the largest node has for pods, in bytes. */
  async function largestNode(): Promise<number> {
    const nodes = z.array(Node).parse(await stage.kubectl.list("nodes"));
    return Math.max(...nodes.map(({ status }) => valueOf(status.allocatable.memory)));
  }
});
