// A change of a real PostgreSQL that waits: the deployed operator tells what it would do, another person approves it, and that is what happens.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { approvalKeys } from "../../../contract/approvals";
import { builtVersion } from "../../harness/built-versions";
import { readDatabase, untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import { approve, asPerson, pendingOf, untilWaits } from "../../harness/approvals";
import type { Kubectl } from "../../harness/kubectl";
import { withoutRoom } from "../../harness/nodes";
import { userOf } from "../../harness/people";
import { deletePods } from "../../harness/pods";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "change-policy";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1"];

const Pod = z.object({
  metadata: z.object({ uid: z.string() }),
  spec: z.object({
    containers: z.array(
      z.object({
        name: z.string(),
        resources: z.object({ requests: z.object({ memory: z.string() }).partial() }).partial(),
      }),
    ),
  }),
});

/** Its window is open on a day that no test sees. */
const strict = { requireApproval: ["RollingRestart"], windows: [{ schedule: "0 0 29 2 *", duration: "1h" }] };

/** At least so much later, in milliseconds. */
const wholeMinuteIn = (ms: number): number => Math.ceil(Date.now() / 60_000) * 60_000 + ms;

/** A policy of one window that opens then, and on other days at that time. */
function windowAt(opens: number, duration: string): object {
  const at = new Date(opens);
  return { windows: [{ schedule: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`, duration }] };
}

export const changePolicy = rotatingStory(namespace, 5, (stage) => {
  let directory: string;
  /** Writes Databases; approves. */
  let john: Kubectl;
  let maria: Kubectl;
  let version: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "change-policy-"));
    const person = (name: string, role: string): Promise<Kubectl> =>
      asPerson(stage.platform, { namespace, name, roles: [role] }, directory);
    [john, maria] = [await person("john", "edit"), await person("maria", "database-operator-approve")];
    ({ version } = builtVersion(stage.platform, "postgresql"));
    await stage.kubectl("rollout", "status", "deployment/database-operator", "-n", "database-operator-system");
    await eventually(() => john("auth", "can-i", "patch", "databases.example.com", "-n", namespace), minutes(1));
    await john.apply(databaseOf(strict));
    await untilReady(stage.kubectl, place, minutes(4));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const databaseOf = (policy: object, memory = "256Mi", more: object = {}): unknown =>
    modestDatabase("orders", namespace, {
      ...{ version, storage: "1Gi", replicas: 2, deletionPolicy: "Delete", backup: { enabled: false } },
      ...{ changePolicy: policy, resources: { requests: { cpu: "50m", memory }, limits: { memory: "512Mi" } } },
      ...more,
    });

  /** Of each member: which pod it is, and what its server asks of memory. */
  async function pods(): Promise<readonly { uid: string; memory: string | undefined }[]> {
    const found = await Promise.all(members.map((name) => stage.kubectl.find("pod", name, namespace)));
    return found.map((pod) => {
      const { metadata, spec } = Pod.parse(pod);
      const server = spec.containers.find(({ name }) => name === "postgresql");
      return { uid: metadata.uid, memory: server?.resources.requests?.memory };
    });
  }

  const uids = async (): Promise<readonly string[]> => (await pods()).map(({ uid }) => uid);
  const memories = async (): Promise<readonly unknown[]> => (await pods()).map(({ memory }) => memory);

  /** In the order in which the operator restarted them, by the API server's own record. */
  async function evicted(): Promise<string[]> {
    const { writes = [] } = await stage.platform.witness.observe();
    return writes
      .filter((write) => write.namespace === namespace && write.subresource === "eviction" && write.code < 300)
      .map(({ name }) => name);
  }

  test("more memory waits: no member restarts, and who changed it is known", async () => {
    const before = await uids();
    await john.apply(databaseOf(strict, "320Mi"));
    const pending = await untilWaits(stage.kubectl, place);
    assert.deepEqual(pending.requestedBy, [userOf("john")]);
    assert.deepEqual(pending.waitsFor, ["Approval", "Window"]);
    await consistently(async () => {
      assert.deepEqual(await uids(), before);
    }, 10_000);
    await assert.rejects(approve(place, john, pending.digest), /needs the verb approve/);
  });

  test("an approval is void once another member is primary; of the new plan it is carried out as it was told", async () => {
    const { digest } = await untilWaits(stage.kubectl, place);
    await approve(place, maria, digest);
    await untilWaits(stage.kubectl, place, "AwaitingWindow");
    const { primary } = (await readDatabase(stage.kubectl, "orders", namespace)).status;
    await deletePods(stage.kubectl, namespace, [primary]);
    const moved = await eventually(async () => {
      const pending = await untilWaits(stage.kubectl, place, "ApprovalVoid");
      assert.notEqual(pending.digest, digest);
      assert.equal((await readDatabase(stage.kubectl, "orders", namespace)).status.readyReplicas, 2);
      return pending;
    }, minutes(3));
    assert.deepEqual(await memories(), ["256Mi", "256Mi"], "what came back is as before");
    await approve(place, maria, moved.digest, approvalKeys.now);
    await untilReady(stage.kubectl, place, minutes(4));
    assert.deepEqual(await memories(), ["320Mi", "320Mi"]);
    const told = moved.consequences.find(({ effect }) => effect === "RollingRestart")?.members;
    assert.deepEqual(await evicted(), told);
  });

  test("a change waits for its window, and is made when that opens", async () => {
    const opens = wholeMinuteIn(180_000);
    const soon = windowAt(opens, "20m");
    await john.apply(databaseOf(soon, "320Mi"));
    const looser = await untilWaits(stage.kubectl, place);
    assert.deepEqual([looser.effect, looser.waitsFor], ["None", ["Approval"]]);
    await approve(place, maria, looser.digest);
    await untilReady(stage.kubectl, place, minutes(2));
    await john.apply(databaseOf(soon, "256Mi"));
    const { windowOpensAt = "" } = await untilWaits(stage.kubectl, place, "AwaitingWindow");
    assert.equal(Date.parse(windowOpensAt), opens);
    assert.deepEqual(await memories(), ["320Mi", "320Mi"]);
    await untilReady(stage.kubectl, place, minutes(7));
    assert.ok(Date.now() >= opens);
    assert.deepEqual(await memories(), ["256Mi", "256Mi"]);
  });

  /** Without room for a member until the change has begun in its window, and that has closed. */
  async function overItsWindow(opens: number, change: () => Promise<unknown>): Promise<void> {
    const before = await uids();
    await withoutRoom(stage.kubectl, async () => {
      await change();
      await untilWaits(stage.kubectl, place, "AwaitingWindow");
      await eventually(async () => {
        assert.equal(await pendingOf(stage.kubectl, place), undefined);
      }, minutes(4));
      assert.ok(Date.now() >= opens && Date.now() < opens + 60_000, "it began in its window");
      await eventually(() => {
        assert.ok(Date.now() > opens + 62_000);
        return Promise.resolve();
      }, minutes(2));
      assert.deepEqual(await uids(), before);
    });
  }

  test("what has begun in its window is finished after it, where its members had to wait for room", async () => {
    const opens = wholeMinuteIn(120_000);
    const policy = windowAt(opens, "1m");
    await john.apply(databaseOf(policy, "256Mi"));
    await untilReady(stage.kubectl, place, minutes(1));
    await overItsWindow(opens, () => john.apply(databaseOf(policy, "320Mi")));
    await untilReady(stage.kubectl, place, minutes(3));
    assert.deepEqual(await memories(), ["320Mi", "320Mi"]);
  });

  test("what the platform asks for waits for the next window where no member has restarted when one closes", async () => {
    const sharedMap = (data: object): object => ({
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace }, data },
    });
    await stage.kubectl.apply(sharedMap({ work_mem: "8MB" }));
    const opens = wholeMinuteIn(120_000);
    const shared = { configFrom: { name: "tuning" } };
    await john.apply(databaseOf(windowAt(opens, "1m"), "320Mi", shared));
    await untilReady(stage.kubectl, place, minutes(1));
    const before = await uids();
    await overItsWindow(opens, () => stage.kubectl.apply(sharedMap({ work_mem: "8MB", max_connections: "130" })));
    await eventually(async () => {
      const { conditions } = (await readDatabase(stage.kubectl, "orders", namespace)).status;
      const said = conditions.find(({ type }) => type === "Reconciling");
      assert.match(said?.message ?? "", /held back: .*window/);
    }, minutes(1));
    await consistently(async () => {
      assert.deepEqual(await uids(), before);
    }, 10_000);
    // a policy by which nothing waits agrees to it
    await john.apply(databaseOf({}, "320Mi", shared));
    await untilReady(stage.kubectl, place, minutes(3));
    const after = await uids();
    assert.ok(after.every((uid) => !before.includes(uid)));
  });
});
