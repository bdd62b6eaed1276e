// An API server that is away, ill, slow or living in the past: the operator keeps running, destroys nothing, and catches up.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { collection, resources } from "../../operator/kube/paths";
import { readDatabase, untilDatabase } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { textOf, type Match } from "../harness/fault-proxy";
import { makeNamespace, readSecret, type Kubectl } from "../harness/kubectl";
import { proves } from "../judges/reliability/case";
import { apiServer } from "../judges/reliability/cases/api-server";
import { freezeSources, type HalfOpen } from "./half-open";
import { relistAs, untilListed, untilMissed, untilRelisted } from "./lists";
import { assertSameObjects, operatorNamespace, pictureOf, versionsOf } from "./picture";
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
  untilSettled,
} from "./shop";
import { openRig, type Rig } from "./rig";

const isLong = process.env["FAULTS"] === "all";
/** How many requests for the Databases come to nothing, after pauses of 0.5 s, 1 s, 2 s and so on. */
const [shortOutage, longOutage] = [5, 8];

let rig: Rig;
let kubectl: Kubectl;
let pid: number;
/** Versions of the children of a Database of which no client ever asks anything, and the runs of its stack. */
let calm: Readonly<Record<string, string>>;
/** The operator's watch of ConfigMaps that Databases name is half-open from the beginning. */
let halfOpen: HalfOpen;

before(async () => {
  rig = await openRig();
  ({ kubectl } = rig);
  ({ pid } = rig.operator);
  halfOpen = await freezeSources(rig, "half-open");
  disregardQuiet("half-open", "the operator hears of a change a hundred seconds later");
  await make(kubectl, "calm");
  calm = await childrenOf("calm");
});
after(() => rig.stop());
afterEach(async () => {
  rig.proxy.clear();
  assert.ok(await isRunning(pid), "the operator has ended");
  assert.deepEqual(await childrenOf("calm"), calm);
  assert.equal(runsOf(rig.operator, "calm"), 1, "the stack of an unchanged Database was run");
});

/** Versions of everything but the Database itself, whose status may say that members are missing while lists do. */
async function childrenOf(namespace: string): Promise<Readonly<Record<string, string>>> {
  const versions = Object.entries(await versionsOf(kubectl, namespace));
  return Object.fromEntries(versions.filter(([name]) => name !== "Database shop"));
}

/** Kills the API server after a write that matches, and starts it again a little later. */
async function restartApiServerAfter(match: Match): Promise<void> {
  const rule = rig.proxy.rule(match, { kind: "callAfter", call: () => rig.killApiServer() });
  await eventually(() => {
    assert.equal(rule.applied.length, 1);
  }, minutes(1));
  await untilMissed(rig, 2);
  await rig.startApiServer();
}

proves(apiServer.restartedUp, async () => {
  const undisturbed = await make(kubectl, "restarted-never");
  await makeNamespace(kubectl, "restarted-up");
  await Promise.all([restartApiServerAfter({ writes: true, by: "provider", nth: 5 }), ask(kubectl, "restarted-up")]);
  await untilSettled(kubectl, "restarted-up");
  const disturbed = await pictureOf(kubectl, "restarted-up");
  assertSameObjects(disturbed, undisturbed);
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
  const cuts: (readonly string[])[] = [];
  for (let count = 1; count <= 10; count++) {
    // without a word in between, the pauses would grow up to 30 s each
    rig.proxy.watches.bookmark();
    const { names, reopened } = rig.proxy.watches.cut();
    if (count === 5) await askForMemory(kubectl, "cut", "16MB");
    await reopened();
    cuts.push(names);
  }
  const [first = []] = cuts;
  assert.ok(first.length > 10 && first.includes(collection(resources.databases)), first.join("\n"));
  assert.equal(cuts.length, 10);
  for (const names of cuts)
    assert.deepEqual(
      first.filter((name) => !names.includes(name)),
      [],
    );
  await untilMemory(kubectl, "cut", "16MB");
  assert.equal(runsOf(rig.operator, "cut"), 2);
});

proves(apiServer.expired, async () => {
  const then = await make(kubectl, "expired");
  const gone = rig.proxy.rule({ verb: "watch", by: "operator" }, { kind: "refuse", code: 410, reason: "Expired" });
  // the proxy only says that the history is gone: who asked for it once more would have it
  await untilRelisted(rig, counted);
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
  rig.proxy.rule(status, { kind: "refuse", code: 409, reason: "Conflict" });
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

/** Paths of which the operator has one watch each: its requests for them can be counted. */
const counted = [resources.databases, resources.pods].map((resource) => collection(resource));
const refusals = 4;

/** Refuses everything until each of `counted` was refused some times; a change that is asked for meanwhile is done then. */
async function refuseAll(namespace: string, code: number, reason: string): Promise<void> {
  const then = await make(kubectl, namespace);
  const refused = rig.proxy.rule({}, { kind: "refuse", code, reason, retryAfterSeconds: 1 });
  const began = performance.now();
  rig.proxy.watches.cut();
  await askForMemory(kubectl, namespace, "16MB");
  const timesOf = (path: string): number =>
    refused.applied.filter(({ by, path: asked }) => by === "operator" && asked === path).length;
  await eventually(() => {
    for (const path of counted) assert.ok(timesOf(path) >= refusals, `${path} was refused ${timesOf(path)} times`);
  }, minutes(2));
  const seconds = (performance.now() - began) / 1000;
  refused.remove();
  // pauses of 0.5 s at first, doubled each time, of which chance takes up to half
  const most = 2 + Math.log2(1 + 4 * seconds);
  for (const path of counted) assert.ok(timesOf(path) <= most, `${path}: ${timesOf(path)} times in ${seconds} s`);
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
  const refused = rig.proxy.rule(match, { kind: "refuse", code: 403, reason: "Forbidden" });
  await ask(kubectl, "forbidden", { replicas: 3 });
  await eventually(async () => {
    const { conditions } = (await readDatabase(kubectl, "shop", "forbidden")).status;
    assert.match(JSON.stringify(conditions), /"RunFailed","message":"[^"]*StatefulSet shop/);
  }, minutes(1));
  refused.remove();
  await eventually(async () => {
    assert.equal((await readDatabase(kubectl, "shop", "forbidden")).status.readyReplicas, 3);
  }, minutes(1));
  await untilSettled(kubectl, "forbidden");
});

proves(apiServer.empty, async () => {
  const then = await make(kubectl, "empty");
  const runs = runsOf(rig.operator, "empty");
  for (const { metadata } of await kubectl.list("database"))
    disregardQuiet(
      String(metadata["namespace"]),
      "a list without its members makes the status say that they are missing",
    );
  const rule = rig.proxy.rule({ by: "operator", verb: "list" }, { kind: "emptyList" });
  // a watch follows its list
  await rig.proxy.watches.expire().reopened();
  assert.ok(rule.applied.some(({ path }) => path === collection(resources.databases)));
  // a Database that is created later is reconciled later; the catalogue is empty, too
  await makeNamespace(kubectl, "empty-meanwhile");
  disregardQuiet("empty-meanwhile", "the catalogue comes back by a list, and was not written");
  await ask(kubectl, "empty-meanwhile");
  await untilDatabase(kubectl, ["empty-meanwhile", "shop"], ({ status }) => {
    assert.ok(status.conditions.length > 0, "it was not attended to");
  });
  assert.deepEqual((await pictureOf(kubectl, "empty")).uids, then.uids);
  assert.equal(runsOf(rig.operator, "empty"), runs);
  await askForMemory(kubectl, "empty", "16MB");
  rule.remove();
  await untilRelisted(rig);
  await untilMemory(kubectl, "empty", "16MB");
  await untilSettled(kubectl, "empty-meanwhile");
  assertSameData(await pictureOf(kubectl, "empty"), then);
});

proves(apiServer.failed, async () => {
  const then = await make(kubectl, "failed");
  const refused = { kind: "refuse", code: 500, reason: "InternalError" } as const;
  const rule = rig.proxy.rule({ by: "operator", verb: "list" }, refused);
  rig.proxy.watches.expire();
  await untilListed(rule);
  await askForMemory(kubectl, "failed", "16MB");
  await untilMissed(rig, 2);
  assert.deepEqual((await pictureOf(kubectl, "failed")).uids, then.uids);
  assert.equal(runsOf(rig.operator, "failed"), 1);
  rule.remove();
  await untilMemory(kubectl, "failed", "16MB");
  assertSameData(await pictureOf(kubectl, "failed"), then);
});

proves(apiServer.stale, async () => {
  const then = await make(kubectl, "stale");
  await untilRelisted(rig);
  const kinds = ["databases", "statefulSets", "pods", "jobs", "configMaps", "services"] as const;
  const paths = kinds.map((kind) => collection(resources[kind]));
  const old = new Map(
    paths.flatMap((path) =>
      rig.proxy
        .lists(path)
        .slice(-1)
        .map((body) => [path, body] as const),
    ),
  );
  await askForMemory(kubectl, "stale", "16MB");
  await untilMemory(kubectl, "stale", "16MB");
  await relistAs(rig, old);
  await untilMemory(kubectl, "stale", "16MB");
  assertSameData(await pictureOf(kubectl, "stale"), then);
});

const disregardQuiet = (namespace: string, why: string): void => {
  rig.platform.witness.disregard(namespace, why, ["quiet"]);
};

proves(apiServer.roleGone, async () => {
  const namespace = "role-gone";
  const hold = rig.proxy.hold({ writes: true, by: "provider", resource: "rolebindings", namespace });
  await makeNamespace(kubectl, namespace);
  await ask(kubectl, namespace);
  const { name, path } = await hold.held();
  await kubectl("delete", "role", name, "-n", namespace);
  hold.release();
  await untilSettled(kubectl, namespace);
  const asked = rig.proxy.seen.filter((request) => request.isWrite && request.path === path);
  assert.equal(asked.length, 2, asked.map(textOf).join("\n"));
});

// last of those that leave connections as they are: by now its 100 s are nearly over
proves(apiServer.halfOpen, async (t) => {
  await t.test("one watch of the operator", async () => {
    const seconds = await halfOpen.seconds;
    // its last word may have come up to a minute before
    assert.ok(seconds > 30 && seconds < 120, `it was half-open for ${seconds} s`);
    await untilMemory(kubectl, "half-open", "16MB");
  });
  // two minutes
  if (isLong) {
    await t.test("all watches of the operator", async () => {
      await make(kubectl, "half-open-all");
      rig.proxy.watches.freeze();
      await askForMemory(kubectl, "half-open-all", "16MB");
      await eventually(async () => {
        const { status, metadata } = await readDatabase(kubectl, "shop", "half-open-all");
        assert.equal(status.observedGeneration, metadata.generation);
      }, minutes(3));
      await untilMemory(kubectl, "half-open-all", "16MB");
    });
  }
});

proves(apiServer.outage, async () => {
  await make(kubectl, "outage-changed");
  await make(kubectl, "outage-deleted");
  await rig.proxy.refuse();
  await askForMemory(kubectl, "outage-changed", "16MB");
  await askForDeletion(kubectl, "outage-deleted");
  await makeNamespace(kubectl, "outage-made");
  await ask(kubectl, "outage-made");
  await untilMissed(rig, isLong ? longOutage : shortOutage);
  await rig.proxy.accept();
  await untilMemory(kubectl, "outage-changed", "16MB");
  await untilNothingIsLeft(kubectl, "outage-deleted");
  await untilSettled(kubectl, "outage-made");
});

proves(apiServer.staleDeletion, async () => {
  const path = collection(resources.databases);
  await make(kubectl, "reborn");
  await rig.proxy.refuse();
  await askForDeletion(kubectl, "reborn");
  const old = await kubectl("get", "--raw", path);
  await rig.proxy.accept();
  await untilNothingIsLeft(kubectl, "reborn");
  await ask(kubectl, "reborn");
  await untilSettled(kubectl, "reborn");
  const then = await pictureOf(kubectl, "reborn");
  const children = await childrenOf("reborn");
  disregardQuiet("reborn", "the operator meets its past once more, and writes again what is there");
  await relistAs(rig, new Map([[path, old]]));
  // a Database that is created later is reconciled later
  await make(kubectl, "reborn-later");
  assert.deepEqual(await childrenOf("reborn"), children);
  await untilSettled(kubectl, "reborn");
  const now = await pictureOf(kubectl, "reborn");
  assertSameData(now, then);
  assertSameObjects(now, then);
});
