// The console against a real API server: what its people may see and do there, and that the stand-in of its unit tests answers alike.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openCluster } from "../../plugin/cluster/client";
import { collectionOf, itemOf, kinds } from "../../plugin/cluster/paths";
import { ApiFailure, type Cluster } from "../../plugin/command/world";
import { personOf } from "../../plugin/console/access/open";
import { sharedApp } from "../../plugin/console/shared/app";
import { consoleApp } from "../../plugin/console/web/app";
import { fakeCluster, type Stored } from "../fakes/plugin/cluster";
import { database, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { newPerson, userOf } from "../harness/people";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

const namespace = "shop";
const place = [namespace, "orders"] as const;
const people = { viewer: ["view"], approver: ["view", "database-operator-approve"], stranger: [] };
const origin = "http://127.0.0.1:8080";

let platform: PlatformCluster;
let operator: OperatorProcess;
let directory: string;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  directory = await mkdtemp(join(tmpdir(), "console-test-"));
  await makeNamespace(platform.kubectl, namespace);
  for (const [name, roles] of Object.entries(people)) {
    const kubeconfig = await newPerson(platform.kubectl, { name, namespace, roles });
    await writeFile(join(directory, name), kubeconfig, { mode: 0o600 });
  }
  operator = await startOperatorProcess({
    environment: { ...platform.operatorEnvironment, DATABASE_OPERATOR_APPROVALS: "true" },
  });
  await platform.kubectl.apply(orders("8MB", "100"));
  await untilReady(platform.kubectl, place, minutes(2));
  await platform.kubectl.apply(orders("8MB", "150"));
  await eventually(async () => {
    assert.match(await planOf(), /^[0-9a-f]{6,}$/);
  }, minutes(1));
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true });
});

const orders = (workMemory: string, connections: string): unknown =>
  database("orders", namespace, {
    ...{ replicas: 2, config: { work_mem: workMemory, max_connections: connections } },
    changePolicy: { requireApproval: ["RollingRestart", "Switchover", "Downtime"] },
  });

const planOf = (): Promise<string> =>
  platform.kubectl("get", "database", "orders", "-n", namespace, "-o", "jsonpath={.status.pendingChange.digest}");

const clusterOf = (name: string): Promise<Cluster> =>
  openCluster({ kubeconfig: join(directory, name), context: undefined, as: undefined, groups: [] });

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks the console of one of them; with a form, sends it. */
async function asked(name: string, path: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
  const visitor = { person: personOf(await clusterOf(name), [namespace], name), key: name, forget: () => undefined };
  const app = consoleApp({
    ...{ base: "", origin, now: () => new Date(), stopped: new AbortController().signal },
    ...{ followers: { perVisitor: 1, all: 1 }, admit: () => Promise.resolve({ kind: "visitor", visitor }) },
    onError: (at, error) => assert.fail(`${at}: ${String(error)}`),
  });
  // the token holds for the process of the console: the page and its form are of one
  const page = await (await app.request("/databases/shop/orders/edit")).text();
  const [, token = ""] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  const init = form && { method: "POST", headers: { origin }, body: new URLSearchParams({ token, ...form }) };
  const response = await app.request(path, init);
  return { status: response.status, text: await response.text() };
}

const page = "/databases/shop/orders";

test("who may look sees what waits, is told what is missing for an approval, and is refused one", async () => {
  const { status, text } = await asked("viewer", page);
  assert.equal(status, 200);
  assert.match(text, /A change waits/);
  assert.match(text, /that needs the verbs approve and patch/);
  assert.doesNotMatch(text, /name="when"/);
  const refused = await asked("viewer", `${page}/approve`, { digest: await planOf(), when: "window" });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /You may not do this/);
  assert.match((await asked("viewer", "/")).text, /1 Database/);
});

test("a stranger sees nothing, and cannot tell what there is", async () => {
  for (const path of ["/", page, "/databases/shop/zebra", `${page}/why`, `${page}/edit`]) {
    const { status, text } = await asked("stranger", path);
    assert.equal(status, 403, path);
    assert.doesNotMatch(text, /PostgreSQL|A change waits/);
  }
  const [one, none] = [await asked("stranger", page), await asked("stranger", "/databases/shop/zebra")];
  assert.equal(none.text.replaceAll("zebra", "orders"), one.text);
});

test("a plan that has moved is not approved, the one that waits is, in the approver's name", async () => {
  const moved = await asked("approver", `${page}/approve`, { digest: "0".repeat(64), when: "window" });
  assert.equal(moved.status, 409);
  assert.match(moved.text, /the plan has moved since it was shown/);
  const digest = await planOf();
  assert.equal((await asked("approver", `${page}/approve`, { digest, when: "window" })).status, 303);
  const by = "jsonpath={.metadata.annotations.database\\.example\\.com/approved-by}";
  assert.equal(await platform.kubectl("get", "database", "orders", "-n", namespace, "-o", by), userOf("approver"));
  await eventually(async () => {
    assert.equal(await planOf(), "");
  }, minutes(1));
});

test("the shared console acts as the person, not as itself", async () => {
  await platform.kubectl("create", "rolebinding", "jane", "-n", namespace, "--clusterrole=view", "--user=jane");
  const opened: string[] = [];
  const app = sharedApp({
    ...{ origin, base: "", now: () => new Date(), stopped: new AbortController().signal },
    proxy: {
      names: [],
      ...{ users: [], groups: [] },
      userHeader: "x-remote-user",
      groupsHeader: "x-remote-group",
      userPrefix: "",
      groupPrefix: "",
    },
    open: ({ user }) => Promise.resolve(opened.push(user)).then(() => assert.fail("no proxy was shown")),
    formKeys: () => [Buffer.from("of all pods")],
    onError: (at, error) => assert.fail(`${at}: ${String(error)}`),
  });
  assert.equal((await app.request("/", { headers: { "x-remote-user": "jane" } })).status, 401);
  const as = (user: string): Promise<Cluster> =>
    openCluster({ kubeconfig: platform.environment["KUBECONFIG"], context: undefined, as: user, groups: [] });
  const [jane, john] = [
    personOf(await as("jane"), [namespace], "jane"),
    personOf(await as("john"), [namespace], "john"),
  ];
  const tried = (...names: readonly string[]): object => ({ names, left: 0 });
  assert.deepEqual([await jane.places(), await john.places()], [tried(namespace), tried()]);
  assert.deepEqual(opened, []);
});

/** How an attempt ends, as far as pages depend on it. */
async function endOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "answered",
    (error: unknown) => (error instanceof ApiFailure ? `${error.status} ${error.reason}` : String(error)),
  );
}

test("the stand-in of the unit tests refuses as this API server does", async () => {
  const object: Stored = { kind: "Database", metadata: { name: "orders", namespace } };
  const fakes = {
    viewer: fakeCluster({ objects: [object], onlyIn: [namespace], withoutVerbs: ["approve", "patch"] }),
    stranger: fakeCluster({ objects: [object], onlyIn: [] }),
  };
  for (const name of ["viewer", "stranger"] as const) {
    const [real, fake] = [await clusterOf(name), fakes[name]];
    const attempts: readonly ((cluster: Cluster) => Promise<unknown>)[] = [
      (cluster) => cluster.get(collectionOf(kinds.databases), { limit: "1" }),
      (cluster) => cluster.get(collectionOf(kinds.databases, namespace), { limit: "1" }),
      (cluster) => cluster.get(collectionOf(kinds.namespaces)),
      (cluster) => cluster.get(itemOf(kinds.databases, namespace, "orders")),
      (cluster) => cluster.get(itemOf(kinds.databases, namespace, "zebra")),
      (cluster) => cluster.patch(itemOf(kinds.databases, namespace, "orders"), { metadata: { annotations: {} } }),
    ];
    for (const [index, attempt] of attempts.entries())
      assert.equal(await endOf(attempt(fake)), await endOf(attempt(real)), `${name}, attempt ${index}`);
  }
});
