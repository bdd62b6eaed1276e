// What becomes of the members of a PostgreSQL, done as it happens in the life of a cluster: a person who may only look is told the true cause.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { mainProcess } from "../../../measure/availability/cluster/pod-processes";
import { toRebuiltImage } from "../../../measure/availability/faults/rebuilt-image";
import { openTools, type StageTools } from "../../../measure/availability/stage";
import { serverEndText } from "../../../contract/server-end";
import { builtVersion } from "../../harness/built-versions";
import { readDatabase, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { drainOf, exhaustMemory } from "../../harness/mishaps";
import { withoutRoom } from "../../harness/nodes";
import { userOf } from "../../harness/people";
import { pluginUsers, type PluginUsers } from "../../harness/plugin";
import { untilRecorded } from "../../harness/revisions";
import { sendSignal } from "../../harness/signal";
import { askWhy, chainOf, type Why } from "../../harness/why";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "causes";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1", "orders-2"];

const deleted = "its pod was deleted; by whom is in the audit log of the API server";
const evicted = "EvictionByEvictionAPI: Eviction API: evicting";
const outOfMemory = "container postgresql ended: OOMKilled, exit code 137";

/** Those of `wanted` that are found one after the other. */
function inOrder(found: readonly string[], wanted: readonly string[]): string[] {
  let from = 0;
  return wanted.filter((text) => {
    const index = found.indexOf(text, from);
    if (index >= 0) from = index + 1;
    return index >= 0;
  });
}

/** No pod of these has a share of huge pages: the server does not start. */
const preventing = { huge_pages: "on" };

export const causes = rotatingStory(namespace, 10, (stage) => {
  let users: PluginUsers;
  let tools: StageTools;
  let version: string;
  /** What is to be known of each start, in the order in which they happened: of which member, and the line of its cause. */
  const happened: { readonly member: string; readonly cause: string }[] = [];

  before(async () => {
    const { kubectl, platform } = stage;
    await kubectl("rollout", "status", "deployment/database-operator", "-n", "database-operator-system");
    tools = await openTools(platform);
    users = await pluginUsers(platform, namespace);
    await users.user("view");
    await users.user("john", ["edit", "database-operator-approve"]);
    ({ version } = builtVersion(platform, "postgresql"));
    await apply();
    await untilReady(kubectl, place, minutes(4));
    await untilRecorded(kubectl, place, minutes(1));
  });
  after(async () => {
    await tools.close();
    await users.remove();
  });

  /** As john. */
  async function apply(config: Readonly<Record<string, string>> = {}, more: object = {}): Promise<void> {
    const input = modestDatabase("orders", namespace, {
      ...{ version, storage: "1Gi", deletionPolicy: "Delete", backup: { enabled: false }, config },
      ...more,
    });
    const { code, err } = await users.kubectl(["apply", "-f", "-"], { role: "john", input });
    assert.equal(code, 0, err);
  }

  const primaryNow = async (): Promise<string> =>
    (await readDatabase(stage.kubectl, "orders", namespace)).status.primary;

  async function replicaNow(): Promise<string> {
    const primary = await primaryNow();
    return members.findLast((member) => member !== primary) ?? "";
  }

  const why = (name = "orders"): Promise<Why> => askWhy(users, name);

  /** Once it is told so of the member that it is the cause of its last start, and the Database is well again. */
  async function untilTold(member: string, cause: string, recorded = cause): Promise<void> {
    await eventually(async () => {
      assert.equal(chainOf(await why(member), member), cause);
    }, minutes(2));
    await untilReady(stage.kubectl, place, minutes(3));
    const { incidents } = await why(member);
    const [last] = incidents.filter(({ reason, about }) => reason === "Restarted" && about === `Pod ${member}`);
    assert.equal(last?.message, recorded);
    happened.push({ member, cause: recorded });
  }

  /** All members have restarted for the newest change, and nothing else is told of why, or of why another one leads. */
  async function assertAllChanged(what: RegExp, by: string): Promise<void> {
    const { spec, status } = await untilRecorded(stage.kubectl, place, minutes(1));
    const cause = `revision ${spec.revision}: ${spec.restarts ?? ""}`;
    assert.match(cause, what);
    const told = await why();
    for (const member of members) {
      const chain = new RegExp(
        `^the operator: restarting ${member}: \\d of 3 \\(\\w+\\) ← revision ${spec.revision}: .* ← asked for by ${by}`,
      );
      assert.match(chainOf(told, member), chain);
      assert.match(chainOf(told, member), what);
      happened.push({ member, cause });
    }
    const promoted = (status.incidents ?? []).filter(({ kind }) => kind === "Promoted");
    assert.equal(promoted.length, 1);
    assert.equal(promoted[0]?.why.at(-1), cause, "the one that led went for the change, too");
    assert.equal(status.restarted, members.length);
  }

  test("a parameter that needs a restart: each member names the revision, and who asked for it", async () => {
    await apply({ max_connections: "150" });
    await untilReady(stage.kubectl, place, minutes(4));
    await assertAllChanged(/max_connections 100 → 150/, `${userOf("john")}, generation 2$`);
  });

  test("another image of the catalogue: each member names it, and the platform", async () => {
    const { platform, kubectl } = stage;
    const build = { engine: "postgresql", version, step: 1 } as const;
    await toRebuiltImage({ kubectl, directory: platform.cluster.directory, build, place, members });
    await assertAllChanged(/image \S+ → \S+-rebuilt-1/, "the platform$");
  });

  test("kubectl delete pod: the member says so, and nothing of what the operator did before", async () => {
    const member = await replicaNow();
    await stage.kubectl("delete", "pod", member, "-n", namespace, "--wait=false");
    await untilTold(member, deleted);
  });

  test("its node is drained: the member names the eviction", async () => {
    const member = await replicaNow();
    await drainOf(stage.kubectl, [namespace, member]);
    await untilTold(member, evicted);
  });

  test("its container has no memory left: the member names that, and nothing of the eviction before", async () => {
    const member = await replicaNow();
    await exhaustMemory(stage.kubectl, [namespace, member], "postgresql");
    await untilTold(member, outOfMemory, "container postgresql ended (OOMKilled, exit code 137)");
  });

  test("the server's process is killed, and its container lives: the member says so", async () => {
    const member = await replicaNow();
    const uid = await stage.kubectl("get", "pod", member, "-n", namespace, "-o", "jsonpath={.metadata.uid}");
    sendSignal(mainProcess(await tools.processes.of(uid), "postgres").pid, "SIGKILL");
    await untilTold(member, serverEndText);
  });

  test("the primary's pod is lost: who leads now, and for how long none did, name the loss and its cause", async () => {
    const former = await primaryNow();
    const successor = await withoutRoom(stage.kubectl, async () => {
      await stage.kubectl("delete", "pod", former, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
      return eventually(async () => {
        const primary = await primaryNow();
        assert.ok(primary !== "" && primary !== former, `the primary is "${primary}"`);
        return primary;
      }, minutes(2));
    });
    await untilTold(former, deleted);
    const { incidents } = await why();
    // its StatefulSet has made another pod long before the lease runs out
    const chain = `${former}, which led, was restarted ← ${deleted}`;
    const [promoted] = incidents.filter(({ reason }) => reason === "Promoted");
    assert.deepEqual([promoted?.about, promoted?.message], [`Pod ${successor}`, chain]);
    const [interrupted] = incidents.filter(({ reason }) => reason === "Interrupted");
    assert.equal(interrupted?.about, `Pod ${former}`);
    const [, seconds, rest] = /^no primary was ready for (\d+) s ← (.*)$/.exec(interrupted.message) ?? [];
    assert.equal(rest, chain);
    assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60, interrupted.message);
  });

  test("after the events are gone all of it is still told, in its order, and each member's last start has its cause", async () => {
    const before = await why();
    await stage.kubectl("delete", "events", "--all", "-n", namespace);
    const told = await why();
    const starts = told.incidents.filter(({ reason }) => reason === "Restarted").reverse();
    for (const member of members) {
      const causesOf = happened.filter((one) => one.member === member).map(({ cause }) => cause);
      const messages = starts.filter(({ about }) => about === `Pod ${member}`).map(({ message }) => message);
      // where memory runs out the server may end a moment before its container, and that is told, too
      assert.deepEqual(inOrder(messages, causesOf), causesOf, `${member}: ${messages.join("; ")}`);
      assert.notEqual(chainOf(told, member), "");
      assert.ok(chainOf(before, member).endsWith(chainOf(told, member)), `${member}: ${chainOf(told, member)}`);
    }
    for (const reason of ["Promoted", "Interrupted"])
      assert.deepEqual(
        told.incidents.filter((one) => one.reason === reason),
        before.incidents.filter((one) => one.reason === reason),
      );
  });

  test("a setting with which the server does not start is taken back by rollback, and the history has both", async () => {
    await apply({ max_connections: "150", ...preventing });
    await untilCondition(
      stage.kubectl,
      place,
      { type: "Stalled", status: "True", reason: "ConfigRejected" },
      minutes(3),
    );
    await eventually(async () => {
      assert.match((await users.plugin("history orders")).out, /^\d+ .* Stopped +restarted 1 .* huge_pages on$/m);
    });
    const { code, out, err } = await users.plugin("rollback orders --yes", { role: "john" });
    assert.equal(code, 0, err);
    assert.match(out, /written: causes\/orders asks for the spec of revision \d+\n/);
    await untilReady(stage.kubectl, place, minutes(3));
    const { spec, status } = await untilRecorded(stage.kubectl, place, minutes(1));
    assert.deepEqual(spec.template?.["config"], { max_connections: "150" });
    assert.equal(status.restarted, 1, "no other member than the one that did not start");
    const history = await users.plugin("history orders");
    const john = userOf("john");
    assert.match(
      history.out,
      new RegExp(
        `\n${spec.revision} .* ${john} +Complete +restarted 1 .* huge_pages on → \\(none\\)\n${spec.revision - 1} .* ${john} +Superseded +restarted 1 .* huge_pages on\n`,
      ),
    );
  });

  test("who asked for a change may not approve it, where the platform wants another person", async () => {
    await apply({ max_connections: "150" }, { changePolicy: { requireApproval: ["RollingRestart"] } });
    await untilReady(stage.kubectl, place, minutes(1));
    await apply({ max_connections: "160" }, { changePolicy: { requireApproval: ["RollingRestart"] } });
    await untilCondition(
      stage.kubectl,
      place,
      { type: "ChangePending", status: "True", reason: "AwaitingApproval" },
      minutes(1),
    );
    const { code, err } = await users.plugin("approve orders --yes", { role: "john" });
    assert.match(err, /another person/);
    assert.equal(code, 2);
    const { out } = await users.plugin("history orders");
    assert.doesNotMatch(out, /160/, "it was not carried out");
  });
});
