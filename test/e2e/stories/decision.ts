// PostgreSQL on a real node when the members cannot know what is right, and a person decides.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { uidOf } from "../drift/children";
import { database, labelledPrimaries, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { withoutRoom } from "../harness/nodes";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { askPostgresqlMember, builtPostgresql } from "../harness/real-postgresql";

const namespace = "shop";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real" });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const { version } = await builtPostgresql();
  await platform.kubectl("create", "namespace", namespace);
  const highAvailability = { synchronousCommit: true };
  const spec = { version, storage: "2Gi", replicas: 2, highAvailability, backup: { enabled: false } };
  await platform.kubectl.apply(database("orders", namespace, spec));
  await untilReady(platform.kubectl, place, minutes(6));
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const patronictl = (pod: string, ...args: string[]): Promise<string> =>
  platform.kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", "patronictl", ...args);

/** As the superuser, in a member's container. */
const askMember = (pod: string, statement: string): Promise<string> =>
  askPostgresqlMember(platform.kubectl, namespace, pod, statement);

/** The uid of a member's claim; empty where it has none. */
const claimOf = async (pod: string): Promise<string> => {
  const claim = await platform.kubectl.find("pvc", `data-${pod}`, namespace);
  return claim === undefined ? "" : uidOf(claim);
};

const remove = (...args: string[]): Promise<string> => platform.kubectl("delete", "-n", namespace, ...args);

test("the only member with all commits is lost for good: no other leads, until a person says which; that one serves, the lost one copies it", async () => {
  const [{ name: primary } = { name: "" }] = await labelledPrimaries(platform.kubectl, place);
  const replica = members.find((member) => member !== primary) ?? "";
  await eventually(async () => {
    assert.notEqual(await askMember(primary, "show synchronous_standby_names"), "");
  }, minutes(1));
  await askMember(primary, "create table items as select generate_series(1, 100) as id");
  await withoutRoom(platform.kubectl, async () => {
    await remove("pod", replica, "--timeout=60s");
    // nobody is left to wait for
    await askMember(primary, "insert into items select generate_series(101, 200)");
    const lost = await claimOf(primary);
    await remove("pvc", `data-${primary}`, "--wait=false");
    await remove("pod", primary, "--force", "--grace-period=0");
    await eventually(async () => {
      assert.notEqual(await claimOf(primary), lost);
    }, minutes(1));
  });
  await eventually(async () => {
    const log = await platform.kubectl("logs", "-n", namespace, replica, "-c", "postgresql");
    assert.match(log, /i am not the healthiest node/);
  }, minutes(2));
  assert.doesNotMatch(await patronictl(replica, "list"), /Leader/);
  const waiting = { type: "Ready", status: "False", reason: "WaitingForPrimary" };
  await untilCondition(platform.kubectl, place, waiting, minutes(1));
  assert.equal(await askMember(replica, "select pg_is_in_recovery(), count(*) from items"), "t|100");

  // as docs/operations.md tells a person to do it
  const position = "SELECT pg_last_wal_replay_lsn(), pg_last_xact_replay_timestamp()";
  assert.match(await askMember(replica, position), /^[0-9A-F]+\/[0-9A-F]+\|\d{4}-/);
  await patronictl(replica, "failover", "orders", "--candidate", replica, "--force");

  await untilReady(platform.kubectl, place, minutes(3));
  await askMember(replica, "insert into items values (101)");
  await eventually(async () => {
    assert.equal(await askMember(primary, "select pg_is_in_recovery(), count(*) from items"), "t|101");
  }, minutes(1));
});
