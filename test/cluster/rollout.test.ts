// Members get other settings by restarts that the operator orders; nodes are simulated, and the first member is primary.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { eventMessages } from "../drift/children";
import {
  database,
  messageOf,
  readDatabase,
  untilBackedUp,
  untilCondition,
  untilReady,
  type DatabaseView,
} from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { whileFull } from "../harness/nodes";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { catalogueMap } from "../../contract/platform";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const members = ["shop-0", "shop-1", "shop-2"] as const;
const restarted = { max_connections: "150" };

const apply = (namespace: string, spec: Record<string, unknown> = {}): Promise<string> =>
  platform.kubectl.apply(database("shop", namespace, { deletionPolicy: "Delete", ...spec }));

/** A Database of three members at rest, in a namespace of its own. */
async function converged(name: string): Promise<string> {
  const namespace = await makeNamespace(platform.kubectl, name);
  await apply(namespace);
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(4));
  await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
  return namespace;
}

const Pod = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z.object({ phase: z.string().default("") }).prefault({}),
});

/** The uid of each member's pod. */
async function podsOf(namespace: string): Promise<Record<string, string>> {
  const found = await Promise.all(members.map((name) => platform.kubectl.find("pod", name, namespace)));
  return Object.fromEntries(members.map((name, index) => [name, Pod.safeParse(found[index]).data?.metadata.uid ?? ""]));
}

/** Members in the order in which the operator restarted them, by the API server's own record. */
async function evictedIn(namespace: string): Promise<string[]> {
  const { writes = [] } = await platform.witness.observe();
  return writes
    .filter((write) => write.namespace === namespace && write.subresource === "eviction" && write.code < 300)
    .map(({ name }) => name);
}

/** Throws until that member is there and waits for a node. */
const untilPending = (namespace: string, name: string): Promise<void> =>
  eventually(async () => {
    assert.equal(Pod.parse(await platform.kubectl.find("pod", name, namespace)).status.phase, "Pending");
  });

const ready = (namespace: string): Promise<DatabaseView> =>
  untilReady(platform.kubectl, [namespace, "shop"], minutes(4));

test("another image for all: one Database goes first, no other begins while it does not come back, and then all complete by themselves", async () => {
  const namespaces = await Promise.all(["fleet-a", "fleet-b", "fleet-c"].map(converged));
  const begun = async (): Promise<string[]> => {
    const evicted = await Promise.all(namespaces.map(evictedIn));
    return namespaces.filter((_, index) => evicted[index]?.length !== 0);
  };
  await whileFull(platform.kubectl, async () => {
    await changeImage("17.6", simulatedCatalogue.postgresql["17.7"].image);
    await eventually(async () => {
      assert.equal((await begun()).length, 1);
    });
    const [first = ""] = await begun();
    await untilPending(first, "shop-2");
    for (const namespace of namespaces.filter((one) => one !== first)) {
      await eventually(async () => {
        const view = await readDatabase(platform.kubectl, "shop", namespace);
        const told = messageOf(view, "Reconciling");
        assert.match(
          told,
          new RegExp(`held back: ${first}/shop does not complete .shop-2 does not come back: Unschedulable`),
        );
        assert.ok(view.status.ready);
      });
    }
    await consistently(async () => {
      assert.deepEqual(await begun(), [first]);
    }, 3000);
  });
  for (const namespace of namespaces) {
    await ready(namespace);
    assert.equal((await evictedIn(namespace)).length, 3);
  }
  for (const namespace of namespaces) await platform.kubectl("delete", "database", "shop", "-n", namespace);
});

/** By the operator's own count. */
async function restartedReplicas(): Promise<number> {
  const [, count = "0"] =
    /^database_operator_member_restarts_total\{role="replica"\} (\d+)$/m.exec(await operator.metrics()) ?? [];
  return Number(count);
}

/** In the catalogue, of a version. */
async function changeImage(version: string, image: string): Promise<void> {
  const catalogue = { postgresql: { ...simulatedCatalogue.postgresql, [version]: { image } } };
  const change = JSON.stringify({ data: { [catalogueMap.key]: JSON.stringify(catalogue) } });
  const { namespace, name } = { namespace: "database-operator-system", name: catalogueMap.name };
  await platform.kubectl("patch", "configmap", name, "-n", namespace, "--type=merge", "-p", change);
}

test("replicas are restarted first and the primary last, each reported with its cause, and the Database is not complete before", async () => {
  const namespace = await converged("order");
  const restartedBefore = await restartedReplicas();
  const before = await podsOf(namespace);
  await apply(namespace, { config: restarted });
  await ready(namespace);
  assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-1", "shop-0"]);
  const now = await podsOf(namespace);
  for (const name of members) assert.notEqual(now[name], before[name]);
  const told = await eventMessages(platform.kubectl, namespace, "Restarting");
  for (const text of ["shop-2: 1 of 3 (replica)", "shop-1: 2 of 3 (replica)", "shop-0: 3 of 3 (primary)"]) {
    assert.ok(told.includes(`restarting ${text}; why: max_connections 100 → 150`), told);
  }
  const { watched = [] } = await platform.witness.observe();
  const versions = watched.filter(({ database: seen }) => seen.namespace === namespace);
  const states = versions.map(({ database: { conditions } }) =>
    conditions
      .filter(({ type }) => type === "Ready" || type === "Reconciling")
      .map(({ type, status, reason, observedGeneration }) => `${type} ${status} ${reason} ${observedGeneration}`)
      .join(", "),
  );
  // who waits for Ready must not be released before all is over
  const underway = states.filter((text) => text.includes("Reconciling True Restarting"));
  assert.ok(underway.length > 0);
  const early = underway.filter((text) => !/^Ready \S+ \S+ 1, Reconciling True Restarting 2$/.test(text));
  assert.deepEqual(early, [], states.join("\n"));
  assert.equal(await restartedReplicas(), restartedBefore + 2);
});

test("a setting that needs no restart, and another client's update strategy, restart no member", async () => {
  const namespace = await converged("untouched");
  const before = await podsOf(namespace);
  await apply(namespace, { config: { work_mem: "9MB" } });
  await ready(namespace);
  const strategy = JSON.stringify({ spec: { updateStrategy: { type: "RollingUpdate" } } });
  await platform.kubectl("patch", "statefulset", "shop", "-n", namespace, "--type=merge", "-p", strategy);
  await eventually(async () => {
    const found = JSON.stringify(await platform.kubectl.find("statefulset", "shop", namespace));
    assert.match(found, /"updateStrategy":\{"type":"OnDelete"\}/);
  });
  await ready(namespace);
  assert.deepEqual(await podsOf(namespace), before);
});

test("an operator that dies in the middle: the next one continues from there, and restarts no member twice", async () => {
  const namespace = await converged("interrupted");
  await whileFull(platform.kubectl, async () => {
    await apply(namespace, { config: restarted });
    await untilPending(namespace, "shop-2");
    await operator.kill();
    operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
    await consistently(async () => {
      assert.deepEqual(await evictedIn(namespace), ["shop-2"]);
    }, 2000);
  });
  await ready(namespace);
  assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-1", "shop-0"]);
});

test("a pause holds the next restart back, and its end lets it continue", async () => {
  const namespace = await converged("paused");
  await whileFull(platform.kubectl, async () => {
    await apply(namespace, { config: restarted });
    await untilPending(namespace, "shop-2");
    await apply(namespace, { config: restarted, paused: true });
    await untilCondition(platform.kubectl, [namespace, "shop"], { type: "Stalled", status: "False", reason: "Paused" });
  });
  await consistently(async () => {
    assert.deepEqual(await evictedIn(namespace), ["shop-2"]);
  }, 3000);
  await apply(namespace, { config: restarted });
  await ready(namespace);
  assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-1", "shop-0"]);
});

test("a setting that prevents start stops at the first member (ConfigRejected), and reverting it heals", async () => {
  const namespace = await converged("rejected");
  const before = await podsOf(namespace);
  await whileFull(platform.kubectl, async () => {
    await apply(namespace, { config: restarted });
    await untilPending(namespace, "shop-2");
    // as the member's own agent writes it
    await platform.kubectl("annotate", "pod", "shop-2", "-n", namespace, 'status={"state":"start failed"}');
    const wanted = { type: "Stalled", status: "True", reason: "ConfigRejected" };
    const view = await untilCondition(platform.kubectl, [namespace, "shop"], wanted);
    const message = view.status.conditions.find(({ type }) => type === "Stalled")?.message ?? "";
    assert.match(message, /^shop-2, .*start failed.*max_connections 100 → 150.*revert it/);
    assert.equal(view.status.phase, "Failed");
    // between two attempts it looks as if it started
    await platform.kubectl("annotate", "pod", "shop-2", "-n", namespace, "--overwrite", 'status={"state":"starting"}');
    await consistently(async () => {
      const { status } = await readDatabase(platform.kubectl, "shop", namespace);
      assert.ok(status.conditions.some(({ reason }) => reason === "ConfigRejected"));
      assert.deepEqual(await evictedIn(namespace), ["shop-2"]);
    }, 2000);
    await apply(namespace);
    await eventually(async () => {
      assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-2"]);
    });
  });
  await ready(namespace);
  const now = await podsOf(namespace);
  assert.deepEqual([now["shop-0"], now["shop-1"]], [before["shop-0"], before["shop-1"]]);
  assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-2"]);
});

test("another client's disruption budget is respected, and reported", async () => {
  const namespace = await converged("budget");
  const budget = {
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "theirs", namespace } },
    spec: { maxUnavailable: 0, selector: { matchLabels: { database: "shop" } } },
  };
  await platform.kubectl.apply(budget);
  await apply(namespace, { config: restarted });
  await eventually(async () => {
    const { status } = await readDatabase(platform.kubectl, "shop", namespace);
    const { reason, message } = status.conditions.find(({ type }) => type === "Reconciling") ?? {};
    assert.equal(reason, "Restarting");
    assert.match(message ?? "", /^restarting shop-2: 1 of 3 .*not yet: .*PodDisruptionBudget/);
  });
  assert.deepEqual(await evictedIn(namespace), []);
  await platform.kubectl("delete", "poddisruptionbudget", "theirs", "-n", namespace);
  await ready(namespace);
  assert.deepEqual(await evictedIn(namespace), ["shop-2", "shop-1", "shop-0"]);
});
