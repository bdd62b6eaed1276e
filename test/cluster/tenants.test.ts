// A user who may create Databases in one namespace gains nothing in another, and in their own only a Database: the operator,
// which may do far more, lends them nothing. With real tokens against a real API server; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { database, untilCondition, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { kubectlFor, makeNamespace, type Kubectl } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { may } from "../harness/people";
import {
  kubeconfigOf,
  simulatedCatalogue,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";
import { developerKubeconfig } from "../harness/preview";
import { holdersOfRights } from "./stories/holders-of-rights";

/** The tenants' namespace, and one of another tenant. */
const [own, foreign] = ["shop", "bank"];

/** In a ConfigMap and a Secret of the foreign namespace; nothing of it may be seen in the tenants'. */
const canary = "c4n4ry-of-the-bank";

const refusal = /forbidden/i;

let platform: PlatformCluster;
let operator: OperatorProcess;
let directory: string;
/** May do what the built-in role `edit` says, in `own` alone. */
let editor: Kubectl;
/** May do everything with Databases of `own`, and nothing else. */
let developer: Kubectl;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  directory = await mkdtemp(join(tmpdir(), "tenants-"));
  const { kubectl } = platform;
  for (const namespace of [own, foreign]) await makeNamespace(kubectl, namespace);
  await kubectl("create", "configmap", "tuning", "-n", foreign, `--from-literal=work_mem=${canary}`);
  await kubectl("create", "secret", "generic", "vault", "-n", foreign, `--from-literal=password=${canary}`);
  await kubectl("create", "serviceaccount", "editor", "-n", own);
  const subject = `--serviceaccount=${own}:editor`;
  await kubectl("create", "rolebinding", "editor", "-n", own, "--clusterrole=edit", subject);
  editor = await actingAs("editor", await kubeconfigOf("editor", kubectl, own));
  developer = await actingAs("developer", await developerKubeconfig(kubectl, own));
  // the controller manager adds the rules of `edit` up
  await eventually(() => editor("auth", "can-i", "create", "databases.example.com", "-n", own));
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

/** kubectl with that kubeconfig. */
async function actingAs(name: string, kubeconfig: string): Promise<Kubectl> {
  const file = join(directory, `${name}.kubeconfig`);
  await writeFile(file, kubeconfig, { mode: 0o600 });
  return kubectlFor({ ...platform.environment, KUBECONFIG: file });
}

const Identified = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });

/** Changes with every write to the object, and when it is created again. */
async function markOf(kind: string, name: string): Promise<string> {
  const { uid, resourceVersion } = Identified.parse(await platform.kubectl.find(kind, name, own)).metadata;
  return `${uid} ${resourceVersion}`;
}

const uidOf = async (kind: string, name: string): Promise<string> =>
  Identified.parse(await platform.kubectl.find(kind, name, own)).metadata.uid;

const everything =
  "databases,statefulsets,services,secrets,configmaps,persistentvolumeclaims,serviceaccounts,roles,rolebindings,jobs,cronjobs,networkpolicies,events";

async function assertNoCanary(): Promise<void> {
  const text = await platform.kubectl("get", everything, "-n", own, "-o", "json");
  for (const form of [canary, Buffer.from(canary).toString("base64")]) assert.ok(!text.includes(form), form);
  assert.ok(!operator.log.some((line) => JSON.stringify(line).includes(canary)));
}

test("a user who may edit one namespace has Databases there, and can neither read nor write in any other", async () => {
  await editor.apply(database("orders", own, { replicas: 1 }));
  await untilReady(platform.kubectl, [own, "orders"], minutes(2));
  await assert.rejects(editor.apply(database("orders", foreign)), refusal);
  await assert.rejects(editor("get", "databases", "-n", foreign), refusal);
  await assert.rejects(editor("get", "databases", "-A"), refusal);
  const finished = ["patch", "database", "orders", "-n", own, "--subresource=status", "--type=merge"];
  await assert.rejects(editor(...finished, "-p", '{"status":{"ready":true}}'), refusal);
});

test("a user who may only create Databases sees no password: not in the object, its status, its events or the log", async () => {
  await developer.apply(database("reports", own, { replicas: 1 }));
  await untilReady(platform.kubectl, [own, "reports"], minutes(2));
  await assert.rejects(developer("get", "secret", "reports-credentials", "-n", own), refusal);
  for (const what of ["secrets", "configmaps", "pods", "roles", "serviceaccounts", "events"])
    assert.ok(!(await may(developer, "list", what, "-n", own)), what);
  assert.ok(!(await may(developer, "create", "pods", "--subresource=exec", "-n", own)));
  const read = async (name: string): Promise<string[]> => {
    const secret = z.object({ data: z.record(z.string(), z.string()) });
    return Object.values(secret.parse(await platform.kubectl.find("secret", name, own)).data).map((value) =>
      Buffer.from(value, "base64").toString(),
    );
  };
  const system = await read("reports-system");
  const [shown, events] = await Promise.all([
    developer("get", "database", "reports", "-n", own, "-o", "json"),
    platform.kubectl("get", "events", "-n", own, "-o", "json"),
  ]);
  for (const password of system) assert.ok(!`${shown}${events}`.includes(password));
});

const stored = (some: Record<string, unknown>): Record<string, unknown> => ({
  backup: { destination: { s3: { bucket: "b", endpoint: "https://s3.example.com", region: "eu-1", ...some } } },
});

const outside: Record<string, readonly [spec: Record<string, unknown>, says: RegExp]> = {
  "a namespace beside the name of a ConfigMap": [
    { configFrom: { name: "tuning", namespace: foreign } },
    /unknown field "spec\.configFrom\.namespace"/,
  ],
  "a ConfigMap as namespace/name": [{ configFrom: { name: `${foreign}/tuning` } }, /spec\.configFrom\.name/],
  "a ConfigMap by a path": [{ configFrom: { name: `../../${foreign}/configmaps/tuning` } }, /spec\.configFrom\.name/],
  "a Database of another namespace to restore from": [
    { restore: { from: { name: "ledger", namespace: foreign } } },
    /unknown field "spec\.restore\.from\.namespace"/,
  ],
  "a Database to restore from as namespace/name": [
    { restore: { from: { name: `${foreign}/ledger` } } },
    /spec\.restore\.from\.name/,
  ],
  "a backup of another namespace to restore": [
    { restore: { backup: { name: "ledger", namespace: foreign } } },
    /unknown field "spec\.restore\.backup\.namespace"/,
  ],
  "a backup to restore as namespace/name": [
    { restore: { backup: { name: `${foreign}/ledger` } } },
    /spec\.restore\.backup\.name/,
  ],
  "a Secret with credentials of another namespace": [
    stored({ credentials: { name: "vault", namespace: foreign } }),
    /unknown field "spec\.backup\.destination\.s3\.credentials\.namespace"/,
  ],
  "a Secret with credentials as namespace/name": [
    stored({ credentials: { name: `${foreign}/vault` } }),
    /spec\.backup\.destination\.s3\.credentials\.name/,
  ],
  "an account for its pods": [{ serviceAccountName: "default" }, /unknown field "spec\.serviceAccountName"/],
  "an image": [{ image: "registry.example.com/evil:1" }, /unknown field "spec\.image"/],
  "a pod of its own": [{ podTemplate: { spec: { hostPID: true } } }, /unknown field "spec\.podTemplate"/],
  "a namespace for its children": [{ namespace: foreign }, /unknown field "spec\.namespace"/],
};

for (const [sentence, [spec, says]] of Object.entries(outside)) {
  test(`a Database cannot name ${sentence}`, async () => {
    await assert.rejects(editor.apply(database("probe", own, spec)), says);
    // who turns the client's check off has the field dropped
    const text = await editor("get", "databases", "-n", own, "-o", "name");
    assert.ok(!text.includes("probe"));
  });
}

test("fields that the API does not know are dropped, whatever the client thinks, and name nothing", async () => {
  const object = database("dropped", own, {
    replicas: 1,
    configFrom: { name: "tuning", namespace: foreign },
    serviceAccountName: "editor",
  });
  const file = join(directory, "dropped.json");
  await writeFile(file, JSON.stringify(object));
  await editor("create", "--validate=false", "-f", file);
  // the ConfigMap of that name is looked for in the Database's own namespace, where there is none
  const missing = { type: "Stalled", status: "True", reason: "ConfigSourceMissing" };
  await untilCondition(platform.kubectl, [own, "dropped"], missing, minutes(1));
  await assertNoCanary();
  await editor("delete", "database", "dropped", "-n", own);
  await untilGone(platform.kubectl, [own, "dropped"], minutes(1));
});

test("a Database that is named like another client's objects takes none of them: no account, no Role, no Secret", async () => {
  const { kubectl } = platform;
  await kubectl("create", "serviceaccount", "deployer", "-n", own);
  await kubectl("create", "role", "deployer", "-n", own, "--verb=*", "--resource=*");
  await kubectl("create", "rolebinding", "deployer", "-n", own, "--role=deployer", `--serviceaccount=${own}:deployer`);
  await kubectl("create", "secret", "generic", "deployer-credentials", "-n", own, "--from-literal=password=theirs");
  const theirs = ["serviceaccount", "role", "rolebinding"] as const;
  const marks = (): Promise<string[]> =>
    Promise.all([...theirs.map((kind) => markOf(kind, "deployer")), markOf("secret", "deployer-credentials")]);
  const before = await marks();
  await developer.apply(database("deployer", own, { replicas: 1, deletionPolicy: "Delete" }));
  const conflict = { type: "Stalled", status: "True", reason: "NameConflict" };
  await untilCondition(kubectl, [own, "deployer"], conflict, minutes(1));
  assert.equal(await kubectl.find("statefulset", "deployer", own), undefined);
  await developer("delete", "database", "deployer", "-n", own);
  await untilGone(kubectl, [own, "deployer"], minutes(1));
  assert.deepEqual(await marks(), before);
});

test("a Database named like a child of another one takes none of its children; where they do not collide, both work", async () => {
  const { kubectl } = platform;
  const service = await uidOf("service", "orders-ro");
  const account = await uidOf("serviceaccount", "orders.jobs");
  await editor.apply(database("orders-ro", own, { replicas: 1, deletionPolicy: "Delete" }));
  const conflict = { type: "Stalled", status: "True", reason: "NameConflict" };
  await untilCondition(kubectl, [own, "orders-ro"], conflict, minutes(1));
  for (const name of ["orders-backup", "orders-jobs"]) {
    await editor.apply(database(name, own, { replicas: 1, deletionPolicy: "Delete" }));
    await untilReady(kubectl, [own, name], minutes(2));
  }
  const cronJob = await uidOf("cronjob", "orders-backup");
  const claim = await uidOf("pvc", "orders-backup");
  for (const name of ["orders-ro", "orders-backup", "orders-jobs"]) {
    await editor("delete", "database", name, "-n", own);
    await untilGone(kubectl, [own, name], minutes(1));
  }
  const left = [
    await uidOf("service", "orders-ro"),
    await uidOf("serviceaccount", "orders.jobs"),
    await uidOf("cronjob", "orders-backup"),
    await uidOf("pvc", "orders-backup"),
  ];
  assert.deepEqual(left, [service, account, cronJob, claim]);
  await untilReady(kubectl, [own, "orders"], minutes(1));
});

for (const label of ["database", "app", "app.kubernetes.io/managed-by", "app.kubernetes.io/instance"]) {
  test(`the label ${label} cannot be set through the ServiceMonitor's: by it the operator knows whose an object is`, async () => {
    const labels = { [label]: "orders", release: "mine" };
    const labelled = database("labelled", own, { monitoring: { enabled: true, labels } });
    await assert.rejects(editor.apply(labelled), /must leave out the labels that the operator sets itself/);
  });
}

test("the members' token may look at pods and ConfigMaps of its namespace, write its own, and nothing more", async () => {
  const { kubectl } = platform;
  const members = await actingAs("members", await kubeconfigOf("orders", kubectl, own));
  const allowed: readonly (readonly string[])[] = [
    ["list", "pods"],
    ["list", "configmaps"],
    ["patch", "pods/orders-0"],
    ["patch", "configmaps/orders-leader"],
  ];
  for (const args of allowed) assert.ok(await may(members, ...args, "-n", own), args.join(" "));
  const denied: readonly (readonly string[])[] = [
    ["patch", "pods/reports-0"],
    ["patch", "configmaps/reports-leader"],
    ["delete", "pods/orders-0"],
    ["create", "pods", "--subresource=exec"],
    ["create", "serviceaccounts/orders", "--subresource=token"],
    ...["get", "list", "create"].map((verb) => [verb, "secrets"]),
    ["create", "configmaps"],
    ["create", "pods"],
    ["patch", "roles/orders"],
    ["get", "databases.example.com/orders"],
  ];
  for (const args of denied) assert.ok(!(await may(members, ...args, "-n", own)), args.join(" "));
  for (const what of ["pods", "configmaps", "secrets"])
    assert.ok(!(await may(members, "list", what, "-n", foreign)), what);
  await assert.rejects(members("get", "secrets", "-n", own), refusal);
});

test("the Jobs' token may do nothing, and no pod of a Job has it", async () => {
  const { kubectl } = platform;
  const jobs = await actingAs("jobs", await kubeconfigOf("orders.jobs", kubectl, own));
  const nothing: readonly (readonly string[])[] = [
    ["list", "pods"],
    ["list", "configmaps"],
    ["get", "secrets"],
    ["patch", "pods/orders-0"],
  ];
  for (const args of nothing) assert.ok(!(await may(jobs, ...args, "-n", own)), args.join(" "));
  const Jobs = z.object({
    items: z.array(
      z.object({
        spec: z.object({
          template: z.object({
            spec: z.object({ serviceAccountName: z.string(), automountServiceAccountToken: z.boolean() }),
          }),
        }),
      }),
    ),
  });
  const { items } = Jobs.parse(
    JSON.parse(await kubectl("get", "jobs", "-n", own, "-l", "database=orders", "-o", "json")),
  );
  const pods = items.map(({ spec }) => spec.template.spec);
  assert.deepEqual(
    pods,
    pods.map(() => ({ serviceAccountName: "orders.jobs", automountServiceAccountToken: false })),
  );
  assert.ok(pods.length >= 2);
});

holdersOfRights({ kubectl: () => platform.kubectl, actingAs, own, foreign, canary });

test("nothing of the foreign namespace was touched, and nothing of it is seen in the tenants'", async () => {
  await assertNoCanary();
  await consistently(async () => {
    assert.deepEqual(await platform.kubectl.names("secrets", foreign), ["vault"]);
    assert.deepEqual(await platform.kubectl.names("configmaps", foreign), ["kube-root-ca.crt", "tuning"]);
    assert.deepEqual(await platform.kubectl.names("statefulsets,services,roles,events", foreign), []);
  }, 1000);
});
