// The checker of invariants reads a real cluster right: green over a healthy one, red for each fault that is planted in it.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { CommandError, run } from "../../tools/host/command";
import { database, readDatabase, untilBackedUp, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { kubectlFor, makeNamespace, readSecret } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { judge, reportOf } from "../judges/invariants/invariants";
import { refreshProblems } from "../judges/invariants/refresh";

const namespace = "invariants";
const operatorNamespace = "database-operator-system";
const place = [namespace, "shop"] as const;
/** No client touches this one once it is at rest. */
const calm = [namespace, "calm"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;
let planted: ChildProcess | undefined;
let isOver = false;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await makeNamespace(platform.kubectl, namespace);
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2 }));
  await platform.kubectl.apply(database("calm", namespace, { replicas: 1 }));
  for (const one of [place, calm]) {
    await untilReady(platform.kubectl, one, minutes(2));
    await untilBackedUp(platform.kubectl, one);
  }
});
after(async () => {
  planted?.kill("SIGKILL");
  await operator.stop();
  if (!isOver) await platform.stop();
});

const command = (...args: string[]): Promise<string> =>
  run(process.execPath, ["--import", "tsx", join(__dirname, "../judges/invariants/main.ts"), ...args], {
    // where CI is set there would be colors
    env: { ...platform.environment, NO_COLOR: "1" },
  });

test("over a healthy Database all invariants are green, and Pulumi sees no difference between state and cluster", async () => {
  const snapshot = await platform.witness.observe();
  const red = judge(snapshot).filter(({ problems }) => problems?.length !== 0);
  assert.deepEqual(red, []);
  assert.ok(snapshot.objects.length > 15 && (snapshot.watched?.length ?? 0) > 3 && snapshot.canaries.length >= 6);
  assert.ok(snapshot.writes?.some(({ user }) => user === snapshot.operatorUser));
  assert.ok(snapshot.operator?.argv.some((argv) => argv.includes("pulumi")));
  assert.deepEqual(await refreshProblems(snapshot, platform.kubectl, platform.environment), []);
});

test("the command says so, one line each, and ends with 0", async () => {
  const { auditLog } = platform.cluster;
  const args = ["--audit-log", auditLog, "--operator-pid", String(operator.pid)];
  const report = await command(...args, "--work-directory", operator.workDirectory, "--namespace", namespace);
  assert.match(report, /✔ children .*\n✔ orphans .*\n✔ state /);
  assert.match(report, /✔ leftovers /);
  assert.doesNotMatch(report, /✖/);
});

/** Changes the stored state of the Database as an interrupted run leaves it. */
async function plantPendingOperation(): Promise<void> {
  const name = `state.${namespace}.shop`;
  const { checkpoint = "" } = await readSecret(platform.kubectl, name, operatorNamespace);
  const State = z.looseObject({ checkpoint: z.looseObject({ latest: z.looseObject({}) }) });
  const state = State.parse(JSON.parse(gunzipSync(Buffer.from(checkpoint, "base64")).toString("utf8")));
  state.checkpoint.latest["pending_operations"] = [{ type: "creating" }];
  const data = { checkpoint: gzipSync(JSON.stringify(state)).toString("base64") };
  await platform.kubectl("patch", "secret", name, "-n", operatorNamespace, "-p", JSON.stringify({ data }));
}

/** What others do all the time, and what is no reason to write to a Database that is not theirs. */
async function beBusyElsewhere(): Promise<void> {
  const { kubectl } = platform;
  await kubectl("create", "namespace", "elsewhere");
  await kubectl("create", "configmap", "shared", "-n", namespace);
  await kubectl("label", "nodes", "--all", "planted=true");
  await kubectl("annotate", "database", "shop", "-n", namespace, "planted=true");
}

/** When the operator last wrote anything but that it still leads, in milliseconds since 1970. */
async function lastWrite(): Promise<number> {
  const { writes = [], operatorUser } = await platform.witness.observe();
  return writes.findLast(({ user, resource }) => user === operatorUser && resource !== "leases")?.at ?? Infinity;
}

/** Everything that can be broken from outside, at once. */
async function plantFaults(): Promise<void> {
  const { kubectl } = platform;
  const at = ["-n", namespace];
  const labels = ["app=database", "app.kubernetes.io/managed-by=database-operator"];
  await kubectl("delete", "service", "shop-ro", ...at);
  await kubectl("create", "configmap", "shop-extra", ...at);
  await kubectl("label", "configmap", "shop-extra", ...at, ...labels, "database=shop");
  await kubectl("create", "configmap", "till-orphan", ...at);
  await kubectl("label", "configmap", "till-orphan", ...at, ...labels, "database=till");
  await kubectl("patch", "database", "shop", ...at, "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
  const { uid } = (await readDatabase(kubectl, "shop", namespace)).metadata;
  const { password = "" } = await readSecret(kubectl, "shop-credentials", namespace);
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "shop.planted", namespace },
    involvedObject: { apiVersion: "example.com/v1", kind: "Database", name: "shop", namespace, uid },
    reason: "Reconciled",
    message: `the password is ${Buffer.from(password, "base64").toString("utf8")}`,
    source: { component: "database-operator" },
    count: 99,
  });
  const asOperator = kubectlFor(platform.operatorEnvironment);
  await asOperator("annotate", "statefulset", "calm", ...at, "planted=true");
  await asOperator("create", "service", "clusterip", "other", ...at, "--tcp=80:80");
  const ready = { type: "Ready", status: "True", reason: "not a reason", message: "", observedGeneration: 9 };
  const conditions = [{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const patch = JSON.stringify({ status: { conditions } });
  await plantPendingOperation();
  // last: with conditions like these nothing else of the Database would be judged
  await kubectl("patch", "database", "shop", ...at, "--subresource=status", "--type=merge", "-p", patch);
}

/** What each invariant must say of what was planted. */
const expected: Record<string, RegExp> = {
  children: /ConfigMap shop-extra is not asked for/,
  orphans: /invariants\/till is gone, but ConfigMap till-orphan is left/,
  finalizer: /has no finalizer/,
  conditions: /condition Ready has the reason "not a reason"/,
  events: /Reconciled of Database shop in invariants was reported 99 times/,
  secrets: /a secret is in an event of Database shop/,
  quiet: /^patch of statefulsets invariants\/calm, once, at rest; /,
  reach: /create of services invariants\/other, which belongs to no Database/,
  leftovers: /planted\.lock is left[^]*process \d+ \(sleep 600\) is left/,
};

test("a lock and a process that an operator leaves, and faults planted while none runs, are seen, each by its invariant", async () => {
  await writeFile(join(operator.workDirectory, "planted.lock"), "");
  planted = spawn("sleep", ["600"], { cwd: operator.workDirectory });
  // by then whatever made it come to rest is answered: while it is at work on the other one, the operator may answer later
  await eventually(async () => {
    const idle = Date.now() - (await lastWrite());
    assert.ok(idle > 12_000, `the operator wrote ${idle} ms ago`);
  });
  await operator.stop();
  await platform.kubectl("delete", "service", "shop-headless", "-n", namespace);
  const settled = reportOf(judge(await platform.witness.observe()));
  assert.match(settled, /Service shop-headless is missing[^]*Service shop-headless is in the stored state, but not/);
  await beBusyElsewhere();
  await plantFaults();
  const snapshot = await platform.witness.observe();
  const verdicts = judge(snapshot);
  for (const [name, says] of Object.entries(expected)) {
    const found = verdicts.find(({ invariant }) => invariant.name === name);
    const said = found?.problems?.join("\n") ?? "";
    assert.match(said, says, `${name} said of what was planted: ${said || "nothing"}`);
  }
});

test("the command names what is broken and ends with 1", async () => {
  await assert.rejects(command("--namespace", namespace), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.equal(error.code, 1);
    assert.match(error.printed, /✖ finalizer [^]*invariants\/shop has no finalizer/);
    return true;
  });
});

test("a file of tests that ends like this fails, whatever its tests said", async () => {
  isOver = true;
  await assert.rejects(platform.stop(), /invariants are broken[^]*has no finalizer/);
});
