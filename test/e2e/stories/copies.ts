// PostgreSQL on a real node: members that come back too late to follow.
import assert from "node:assert/strict";
import test from "node:test";
import { builtMinors, builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "copies";

/** So little WAL that a member which is away for a moment misses some. */
const config = { max_slot_wal_keep_size: "16MB", wal_keep_size: "16MB", max_wal_size: "64MB", min_wal_size: "32MB" };

export const copies = story(namespace, (stage) => {
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

  /** Takes the last of three members away, lets the primary give up the WAL that it needs, and brings it back. */
  async function returnTooLate(name: string, version: string): Promise<void> {
    await apply(name, version);
    await untilReady(stage.kubectl, [namespace, name], minutes(6));
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
      test("a replica that comes back when the WAL it needs is gone is copied anew by itself", async () => {
        await returnTooLate("orders", builtVersion(stage.platform, "postgresql").version);
        await untilStreaming("orders");
        const log = await stage.kubectl("logs", "-n", namespace, "orders-2", "-c", "postgresql");
        assert.match(log, /watch: .* copying it anew/);
      });

      test("PostgreSQL 18: a replica whose slot was given up streams again, by a new slot", async () => {
        const version = builtMinors(stage.platform, "18").at(-1);
        assert.ok(version !== undefined, "no image of PostgreSQL 18 was built");
        await returnTooLate("next", version);
        await untilStreaming("next");
      });
    },
    2,
  );
});
