// PostgreSQL on a real node: members that are copied from another one, as they are new or can no longer follow.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import test, { after, before } from "node:test";
import { z } from "zod";
import { openTools, type StageTools } from "../../../measure/availability/stage";
import { builtMinors, builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { sendSignal } from "../../harness/signal";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "copies";

/** So little WAL that a member which is away for a moment misses some. */
const config = { max_slot_wal_keep_size: "16MB", wal_keep_size: "16MB", max_wal_size: "64MB", min_wal_size: "32MB" };

const Pod = z.object({ metadata: z.object({ uid: z.string() }) });

export const copies = story(namespace, (stage) => {
  let tools: StageTools;

  before(async () => {
    tools = await openTools(stage.platform);
  });
  after(() => tools.close());

  const apply = (name: string, version: string, replicas = 3): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, { version, replicas, config, storage: "2Gi", backup: { enabled: false } }),
    );

  const askMember = (pod: string, statement: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, statement);

  const primaryOf = (name: string): Promise<string> =>
    eventually(async () => {
      const [primary] = await labelledPrimaries(stage.kubectl, [namespace, name]);
      assert.ok(primary !== undefined, `no primary of ${name}`);
      return primary.name;
    }, minutes(1));

  const logOf = (pod: string): Promise<string> => stage.kubectl("logs", "-n", namespace, pod, "-c", "postgresql");

  async function uidOf(pod: string): Promise<string> {
    return Pod.parse(await stage.kubectl.find("pod", pod, namespace)).metadata.uid;
  }

  async function processesOf(uid: string, name: string): Promise<number[]> {
    return (await tools.processes.of(uid)).filter((process) => process.name === name).map(({ pid }) => pid);
  }

  const processesIn = async (pod: string, name: string): Promise<number[]> => processesOf(await uidOf(pod), name);

  /**
   * Has a replica copied again from scratch, and stops the processes that copy it in the middle, one for the data and one for the WAL. A small
   * copy could end between two looks: from the first process on it continues only between them.
   */
  async function stopCopy(name: string, pod: string): Promise<number[]> {
    const uid = await uidOf(pod);
    const stopCopying = async (): Promise<number[]> => {
      const copying = await processesOf(uid, "pg_basebackup");
      for (const pid of copying) sendSignal(pid, "SIGSTOP");
      if (copying.length !== 2) resume(copying);
      assert.equal(copying.length, 2);
      return copying;
    };
    const reinitialize = ["patronictl", "reinit", name, pod, "--force"];
    const asked = stage.kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", ...reinitialize);
    const [copying] = await Promise.all([eventually(stopCopying, { withinMs: 60_000, everyMs: 20 }), asked]);
    return copying;
  }

  function resume(processes: readonly number[]): void {
    for (const pid of processes) sendSignal(pid, "SIGCONT");
  }

  /** Rows of 640 bytes, so that a copy takes its time. */
  const fill = (primary: string, rows: number): Promise<string> =>
    askMember(primary, `create table filler as select repeat(md5(x::text), 20) from generate_series(1, ${rows}) as x`);

  /** Takes the last of three members away, lets the primary give up the WAL that it needs, and brings it back. */
  async function returnTooLate(name: string, version: string): Promise<void> {
    await apply(name, version);
    await untilReady(stage.kubectl, [namespace, name], minutes(6));
    await fill(await primaryOf(name), 100_000);
    await apply(name, version, 2);
    await untilReady(stage.kubectl, [namespace, name], minutes(3));
    const primary = await primaryOf(name);
    await askMember(primary, "create table changes (segment int)");
    for (let segment = 0; segment < 12; segment++) {
      await askMember(primary, `insert into changes values (${segment})`);
      await askMember(primary, "select pg_switch_wal()");
    }
    await askMember(primary, "checkpoint");
    await apply(name, version);
  }

  /** Waits until the last of three members streams, with what it missed, by a slot of its own. */
  async function untilStreaming(name: string): Promise<void> {
    const slot = `select wal_status, active from pg_replication_slots where slot_name = '${name}_2'`;
    await eventually(async () => {
      assert.equal(await askMember(`${name}-2`, "select count(*) from changes"), "12");
      assert.equal(await askMember(`${name}-2`, "select status from pg_stat_wal_receiver"), "streaming");
      assert.match(await askMember(await primaryOf(name), slot), /^(reserved|extended|unreserved)\|t$/);
    }, minutes(4));
  }

  rotating(
    "postgresql-wal-gone",
    () => {
      test("a replica that comes back when the WAL it needs is gone copies the data again by itself, from the other replica", async () => {
        await returnTooLate("orders", builtVersion(stage.platform, "postgresql").version);
        await untilStreaming("orders");
        assert.match(
          await logOf("orders-2"),
          /watch: .* copying all data again(.*\n)*.* copy: copying the data of orders-\d, a replica/,
        );
      });

      // with the usual limit for WAL: a copy that stands still keeps what is written meanwhile
      test("a copy survives a disk that takes nothing for longer than a replica may be silent", async () => {
        await stage.kubectl.apply(
          modestDatabase("still", namespace, {
            version: builtVersion(stage.platform, "postgresql").version,
            ...{ replicas: 2, storage: "2Gi", backup: { enabled: false } },
          }),
        );
        await untilReady(stage.kubectl, [namespace, "still"], minutes(4));
        const primary = await primaryOf("still");
        const replica = primary === "still-0" ? "still-1" : "still-0";
        await fill(primary, 300_000);
        const before = (await logOf(replica)).length;
        const copying = await stopCopy("still", replica);
        const timeout = await askMember(
          primary,
          "select setting::int from pg_settings where name = 'wal_sender_timeout'",
        );
        // it takes a while to be longer than that
        await delay(Number(timeout) + 5000);
        resume(copying);
        await eventually(async () => {
          assert.equal(await askMember(replica, "select status from pg_stat_wal_receiver"), "streaming");
          assert.equal(await askMember(replica, "select count(*) from filler"), "300000");
        }, minutes(2));
        const log = (await logOf(replica)).slice(before);
        assert.doesNotMatch(log, /Error when fetching backup|copy: the copy from .* failed/);
        await stage.kubectl("delete", "database", "still", "-n", namespace, "--wait");
      });

      test("a copy that Patroni ends leaves no process that would write into the next one", async () => {
        const copying = await stopCopy("orders", "orders-2");
        for (const pid of await processesIn("orders-2", "postgresql-copy")) sendSignal(pid, "SIGTERM");
        resume(copying);
        await eventually(
          async () => {
            const left = await processesIn("orders-2", "pg_basebackup");
            assert.deepEqual(
              copying.filter((pid) => left.includes(pid)),
              [],
            );
          },
          { withinMs: 10_000 },
        );
        await untilStreaming("orders");
      });

      test("a replica that dies while it is copied from leaves the copy to the primary", async () => {
        const before = (await logOf("orders-2")).length;
        const source = (await primaryOf("orders")) === "orders-0" ? "orders-1" : "orders-0";
        const copying = await stopCopy("orders", "orders-2");
        for (const pid of await processesIn(source, "postgres")) sendSignal(pid, "SIGKILL");
        resume(copying);
        await untilStreaming("orders");
        const log = (await logOf("orders-2")).slice(before);
        assert.match(log, /copy: the copy from orders-\d failed.*\n.*copy: copying the data of the primary/);
        assert.doesNotMatch(log, /Error when fetching backup/);
      });

      test("PostgreSQL 18: a replica whose slot was given up streams again, by a new slot", async () => {
        const version = builtMinors(stage.platform, "18").at(-1);
        assert.ok(version !== undefined, "no image of PostgreSQL 18 was built");
        await returnTooLate("next", version);
        await untilStreaming("next");
      });
    },
    5,
  );
});
