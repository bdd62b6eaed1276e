// An API server that is away, ill, slow or living in the past: the operator goes on, destroys nothing, and catches up.
import assert from "node:assert/strict";
import { after, afterEach, before, type TestContext } from "node:test";
import { KubeConfig } from "@kubernetes/client-node";
import { z } from "zod";
import { accessOf } from "../../operator/kube/access";
import { KubeClient } from "../../operator/kube/client";
import { collection, resources } from "../../operator/kube/paths";
import { Reflector } from "../../operator/kube/reflector";
import { readDatabase } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import type { Match, Rule } from "../harness/fault-proxy";
import { makeNamespace, readSecret, type Kubectl } from "../harness/kubectl";
import { proves } from "../reliability/case";
import { apiServer } from "../reliability/cases/api-server";
import { operatorNamespace, pictureOf, versionsOf } from "./picture";
import { isRunning } from "./processes";
import {
  ask,
  askForDeletion,
  askForMemory,
  assertSameData,
  make,
  runsOf,
  untilMemory,
  untilNothingIsLeft,
  untilStanding,
} from "./standing";
import { openStand, type Stand } from "./stand";

const isLong = process.env["FAULTS"] === "all";

let stand: Stand;
let kubectl: Kubectl;
let pid: number;
/** Versions of the children of a Database of which nobody ever asks anything, and the runs of its stack. */
let calm: Readonly<Record<string, string>>;

before(async () => {
  stand = await openStand();
  ({ kubectl } = stand);
  ({ pid } = stand.operator);
  await make(kubectl, "calm");
  calm = await childrenOf("calm");
});
after(() => stand.stop());
afterEach(async () => {
  stand.proxy.clear();
  assert.ok(await isRunning(pid), "the operator has ended");
  assert.deepEqual(await childrenOf("calm"), calm);
  assert.equal(runsOf(stand.operator, "calm"), 1, "the stack of a Database that nobody changed was run");
});

/** Versions of everything but the Database itself, whose status may say that members are missing while lists do. */
async function childrenOf(namespace: string): Promise<Readonly<Record<string, string>>> {
  const versions = Object.entries(await versionsOf(kubectl, namespace));
  return Object.fromEntries(versions.filter(([name]) => name !== "Database shop"));
}

const stillRuns = async (): Promise<void> => {
  assert.ok(await isRunning(pid), "the operator has ended");
};

proves(apiServer.outage, async () => {
  await make(kubectl, "outage-changed");
  await make(kubectl, "outage-deleted");
  await stand.proxy.refuse();
  await askForMemory(kubectl, "outage-changed", "16MB");
  await askForDeletion(kubectl, "outage-deleted");
  await makeNamespace(kubectl, "outage-made");
  await ask(kubectl, "outage-made");
  await consistently(stillRuns, isLong ? 60_000 : 20_000);
  await stand.proxy.accept();
  await untilMemory(kubectl, "outage-changed", "16MB");
  await untilNothingIsLeft(kubectl, "outage-deleted");
  await untilStanding(kubectl, "outage-made");
});

/** Kills the API server after a write that matches, and starts it again a little later. */
async function restartApiServerAfter(match: Match): Promise<void> {
  const rule = stand.proxy.rule(match, { kind: "callAfter", call: () => stand.killApiServer() });
  await eventually(() => {
    assert.equal(rule.applied.length, 1);
  }, minutes(1));
  await consistently(stillRuns, 5000);
  await stand.startApiServer();
}

proves(apiServer.restartedUp, async () => {
  const undisturbed = await make(kubectl, "restarted-never");
  await makeNamespace(kubectl, "restarted-up");
  await Promise.all([restartApiServerAfter({ writes: true, by: "provider", nth: 5 }), ask(kubectl, "restarted-up")]);
  await untilStanding(kubectl, "restarted-up");
  const disturbed = await pictureOf(kubectl, "restarted-up");
  assert.deepEqual(disturbed.objects, undisturbed.objects);
  const { app } = await readSecret(kubectl, "credentials.restarted-up.shop", operatorNamespace);
  assert.equal((await readSecret(kubectl, "shop-credentials", "restarted-up"))["password"], app);
});

proves(apiServer.restartedDestroy, async () => {
  await make(kubectl, "restarted-destroy");
  const match = { verb: "delete", by: "provider", nth: 3 } as const;
  await Promise.all([restartApiServerAfter(match), askForDeletion(kubectl, "restarted-destroy")]);
  await untilNothingIsLeft(kubectl, "restarted-destroy");
});

proves(apiServer.cut, async () => {
  await make(kubectl, "cut");
  for (let cuts = 1; cuts <= 10; cuts++) {
    stand.proxy.watches.cut();
    if (cuts === 5) await askForMemory(kubectl, "cut", "16MB");
    await eventually(() => {
      assert.ok(stand.proxy.watches.count > 0);
    });
  }
  await untilMemory(kubectl, "cut", "16MB");
  assert.equal(runsOf(stand.operator, "cut"), 2);
});

const Named = z.object({ metadata: z.object({ name: z.string() }) });

proves(apiServer.halfOpen, async (t: TestContext) => {
  await t.test("one watch, which may be silent for 2 s", async () => {
    const config = new KubeConfig();
    config.loadFromFile(stand.kubeconfig);
    const client = new KubeClient(accessOf(config), "test");
    const seen = new Reflector({
      client,
      path: collection(resources.databases),
      parse: (object) => Named.parse(object).metadata.name,
      silenceMs: 2000,
    });
    await makeNamespace(kubectl, "half-open");
    await seen.start();
    stand.proxy.watches.freeze();
    await ask(kubectl, "half-open");
    await eventually(() => {
      assert.equal(seen.get("half-open/shop"), "shop");
    });
    await seen.stop();
    await client.close();
    stand.proxy.watches.cut();
    await untilStanding(kubectl, "half-open");
  });
  // two minutes
  if (isLong) {
    await t.test("all watches of the operator", async () => {
      stand.proxy.watches.freeze();
      await askForMemory(kubectl, "half-open", "16MB");
      await eventually(async () => {
        const { status, metadata } = await readDatabase(kubectl, "shop", "half-open");
        assert.equal(status.observedGeneration, metadata.generation);
      }, minutes(3));
      await untilMemory(kubectl, "half-open", "16MB");
    });
  }
});

proves(apiServer.expired, async () => {
  const then = await make(kubectl, "expired");
  const gone = stand.proxy.rule({ verb: "watch", by: "operator" }, { kind: "refuse", code: 410, reason: "Expired" });
  stand.proxy.watches.expire();
  await askForMemory(kubectl, "expired", "16MB");
  await kubectl("delete", "service", "shop", "-n", "expired");
  await kubectl("delete", "pod", "shop-1", "-n", "expired", "--wait=false");
  await eventually(() => {
    assert.ok(gone.applied.length > 10);
  });
  gone.remove();
  await untilMemory(kubectl, "expired", "16MB");
  await eventually(async () => {
    const now = await pictureOf(kubectl, "expired");
    assert.deepEqual(Object.keys(now.objects).sort(), Object.keys(then.objects).sort());
    assert.deepEqual(now.secrets, then.secrets);
  }, minutes(1));
});

proves(apiServer.conflict, async () => {
  const status = { writes: true, by: "operator", subresource: "status", every: 3 } as const;
  stand.proxy.rule(status, { kind: "refuse", code: 409, reason: "Conflict" });
  await make(kubectl, "conflict");
  const then = await pictureOf(kubectl, "conflict");
  const { app } = await readSecret(kubectl, "credentials.conflict.shop", operatorNamespace);
  assert.equal((await readSecret(kubectl, "shop-credentials", "conflict"))["password"], app);
  await askForMemory(kubectl, "conflict", "16MB");
  await untilMemory(kubectl, "conflict", "16MB");
  assertSameData(await pictureOf(kubectl, "conflict"), then);
  await askForDeletion(kubectl, "conflict");
  await untilNothingIsLeft(kubectl, "conflict");
});

/** Refuses everything for 15 s, in which a change is asked for; then it must be done, without a storm before. */
async function refuseAll(namespace: string, code: number, reason: string): Promise<void> {
  const then = await make(kubectl, namespace);
  const seconds = 15;
  const refused = stand.proxy.rule({}, { kind: "refuse", code, reason, retryAfterSeconds: 1 });
  stand.proxy.watches.cut();
  await askForMemory(kubectl, namespace, "16MB");
  await consistently(stillRuns, seconds * 1000);
  refused.remove();
  // each of the watches, and each Database, slows down on its own
  assert.ok(refused.applied.length < 20 * seconds, `${refused.applied.length} requests in ${seconds} s`);
  await untilMemory(kubectl, namespace, "16MB");
  assertSameData(await pictureOf(kubectl, namespace), then);
}

proves(apiServer.throttled, () => refuseAll("throttled", 429, "TooManyRequests"));
proves(apiServer.unavailable, async (t) => {
  await t.test("500", () => refuseAll("ill-500", 500, "InternalError"));
  await t.test("503", () => refuseAll("ill-503", 503, "ServiceUnavailable"));
});

proves(apiServer.forbidden, async () => {
  await make(kubectl, "forbidden");
  const match = { writes: true, by: "provider", resource: "statefulsets" } as const;
  const refused = stand.proxy.rule(match, { kind: "refuse", code: 403, reason: "Forbidden" });
  await ask(kubectl, "forbidden", { replicas: 3 });
  await eventually(async () => {
    const { conditions } = (await readDatabase(kubectl, "shop", "forbidden")).status;
    assert.match(JSON.stringify(conditions), /"RunFailed","message":"[^"]*StatefulSet shop/);
  }, minutes(1));
  refused.remove();
  await eventually(async () => {
    assert.equal((await readDatabase(kubectl, "shop", "forbidden")).status.readyReplicas, 3);
  }, minutes(1));
  await untilStanding(kubectl, "forbidden");
});

/** Waits until every collection that the operator watches was listed under the rule. */
async function untilListed(rule: Rule): Promise<void> {
  await eventually(() => {
    const listed = new Set(rule.applied.map(({ path }) => path));
    assert.ok(listed.size >= 6 && listed.has(collection(resources.databases)), [...listed].join(" "));
  }, minutes(1));
}

async function untilRelisted(): Promise<void> {
  const lists = (): number => stand.proxy.lists(collection(resources.databases)).length;
  const before = lists();
  stand.proxy.watches.expire();
  await eventually(() => {
    assert.ok(lists() > before);
  }, minutes(1));
}

proves(apiServer.empty, async () => {
  const then = await make(kubectl, "empty");
  const runs = runsOf(stand.operator, "empty");
  const rule = stand.proxy.rule({ by: "operator", verb: "list" }, { kind: "emptyList" });
  stand.proxy.watches.expire();
  await untilListed(rule);
  await consistently(async () => {
    assert.deepEqual((await pictureOf(kubectl, "empty")).uids, then.uids);
    assert.equal(runsOf(stand.operator, "empty"), runs);
  }, 5000);
  await askForMemory(kubectl, "empty", "16MB");
  rule.remove();
  await untilRelisted();
  await untilMemory(kubectl, "empty", "16MB");
  assertSameData(await pictureOf(kubectl, "empty"), then);
});

proves(apiServer.failed, async () => {
  const then = await make(kubectl, "failed");
  const refused = { kind: "refuse", code: 500, reason: "InternalError" } as const;
  const rule = stand.proxy.rule({ by: "operator", verb: "list" }, refused);
  stand.proxy.watches.expire();
  await untilListed(rule);
  await askForMemory(kubectl, "failed", "16MB");
  await consistently(async () => {
    assert.deepEqual((await pictureOf(kubectl, "failed")).uids, then.uids);
  }, 5000);
  assert.equal(runsOf(stand.operator, "failed"), 1);
  rule.remove();
  await untilMemory(kubectl, "failed", "16MB");
  assertSameData(await pictureOf(kubectl, "failed"), then);
});

/** Has the operator list each path anew, and answers with the text of before. */
async function relistAs(lists: ReadonlyMap<string, string>): Promise<void> {
  const rules = [...lists].map(([path, body]) => {
    const match = { by: "operator", verb: "list", path: new RegExp(`^${path}$`), nth: 1 } as const;
    return stand.proxy.rule(match, { kind: "replay", body });
  });
  stand.proxy.watches.expire();
  await eventually(() => {
    for (const rule of rules) assert.equal(rule.applied.length, 1);
  }, minutes(1));
}

proves(apiServer.stale, async () => {
  const then = await make(kubectl, "stale");
  await untilRelisted();
  const kinds = ["databases", "statefulSets", "pods", "jobs", "configMaps", "services"] as const;
  const paths = kinds.map((kind) => collection(resources[kind]));
  const old = new Map(
    paths.flatMap((path) =>
      stand.proxy
        .lists(path)
        .slice(-1)
        .map((body) => [path, body] as const),
    ),
  );
  await askForMemory(kubectl, "stale", "16MB");
  await untilMemory(kubectl, "stale", "16MB");
  await relistAs(old);
  await untilMemory(kubectl, "stale", "16MB");
  assertSameData(await pictureOf(kubectl, "stale"), then);
});

proves(apiServer.staleDeletion, async () => {
  const path = collection(resources.databases);
  await make(kubectl, "reborn");
  await stand.proxy.refuse();
  await askForDeletion(kubectl, "reborn");
  const old = await kubectl("get", "--raw", path);
  await stand.proxy.accept();
  await untilNothingIsLeft(kubectl, "reborn");
  await ask(kubectl, "reborn");
  await untilStanding(kubectl, "reborn");
  const then = await pictureOf(kubectl, "reborn");
  const children = await childrenOf("reborn");
  await relistAs(new Map([[path, old]]));
  await consistently(async () => {
    assert.deepEqual(await childrenOf("reborn"), children);
  }, 10_000);
  await untilStanding(kubectl, "reborn");
  const now = await pictureOf(kubectl, "reborn");
  assertSameData(now, then);
  assert.deepEqual(now.objects, then.objects);
});
