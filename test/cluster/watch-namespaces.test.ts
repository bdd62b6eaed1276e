// The operator limited to some namespaces by `watchNamespaces`: all it promises there, with Roles alone, and nothing elsewhere.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { z } from "zod";
import { isClusterScoped } from "../../infra/permissions";
import { rule } from "../../infra/rules";
import { database, readDatabase, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

const identity = "system:serviceaccount:database-operator-system:database-operator";
const watched = "shop";
/** Watched too; not there when the operator starts. */
const late = "late";
const unwatched = "bank";

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({
    nodes: "simulated",
    catalogue: simulatedCatalogue,
    fresh: true,
    watchNamespaces: [watched, late],
  });
  await makeNamespace(platform.kubectl, unwatched);
  await platform.kubectl("delete", "namespace", late);
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

/** The operator's requests that the API server refused, or that were about this namespace. */
async function requests(isMeant: (event: z.infer<typeof AuditEvent>) => boolean): Promise<string[]> {
  const lines = (await readFile(platform.cluster.auditLog, "utf8")).split("\n");
  const events = lines.flatMap((line) => (line.includes(identity) ? [AuditEvent.parse(JSON.parse(line))] : []));
  return events
    .filter((event) => event.user.username === identity && isMeant(event))
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

const AuditEvent = z.object({
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z.object({ namespace: z.string().default(""), resource: z.string().default("") }).prefault({}),
  responseStatus: z.object({ code: z.number().default(0) }).prefault({}),
});

const Service = z.object({ metadata: z.object({ uid: z.string() }) });

test("a watched namespace that does not exist blocks nothing, and the log names it", async () => {
  assert.equal(await operator.probe("/readyz"), 200);
  const said = operator.log.filter(({ msg }) => msg.includes("a watched namespace does not exist"));
  assert.deepEqual(
    said.map((line) => line["namespace"]),
    [late],
  );
});

test("a Database of a watched namespace lives its whole life: created, restored, changed, deleted; and nothing is refused", async () => {
  const { kubectl } = platform;
  const place = [watched, "orders"] as const;
  await kubectl.apply(database("orders", watched));
  await untilReady(kubectl, place, minutes(2));
  const { uid } = Service.parse(await kubectl.find("service", "orders-ro", watched)).metadata;
  await kubectl("delete", "service", "orders-ro", "-n", watched);
  await eventually(async () => {
    const found = Service.parse(await kubectl.find("service", "orders-ro", watched));
    assert.notEqual(found.metadata.uid, uid);
  }, minutes(1));
  await kubectl.apply(database("orders", watched, { replicas: 5, config: { work_mem: "8MB" } }));
  const changed = await untilReady(kubectl, place, minutes(2));
  assert.equal(changed.status.readyReplicas, 5);
  await kubectl("delete", "database", "orders", "-n", watched);
  await untilGone(kubectl, place, minutes(1));
  assert.equal(await kubectl.find("statefulset", "orders", watched), undefined);
  assert.notEqual((await readSecret(kubectl, "orders-credentials", watched))["password"], undefined);
  assert.deepEqual(await requests(({ responseStatus }) => responseStatus.code === 403), []);
});

test("a Database of another namespace is not touched, and the operator has no rights there", async () => {
  const { kubectl } = platform;
  await kubectl.apply(database("ledger", unwatched));
  // the operator is about, and not slow
  await kubectl.apply(database("stock", watched, { replicas: 1 }));
  await untilReady(kubectl, [watched, "stock"], minutes(2));
  await consistently(async () => {
    const { metadata, status } = await readDatabase(kubectl, "ledger", unwatched);
    assert.deepEqual(metadata.finalizers, []);
    assert.equal(status.phase, "");
    assert.deepEqual(await kubectl.names("statefulset,service,secret,job,pvc", unwatched), []);
  }, 2000);
  assert.deepEqual(await requests(({ objectRef }) => objectRef.namespace === unwatched), []);
  // nor does it ask for all namespaces at once
  const everywhere = await requests(
    ({ objectRef: { namespace, resource } }) =>
      namespace === "" && resource !== "" && !isClusterScoped(rule("", [resource], [])),
  );
  assert.deepEqual(everywhere, []);
});

const may: Record<string, readonly [allowed: "yes" | "no", ...args: string[]]> = {
  "read Secrets of a watched namespace": ["yes", "get", "secrets", "-n", watched],
  "read Secrets of its own namespace": ["yes", "get", "secrets", "-n", "database-operator-system"],
  "read Secrets of another namespace": ["no", "get", "secrets", "-n", unwatched],
  "list Secrets of all namespaces": ["no", "list", "secrets", "-A"],
  "make Roles in another namespace": ["no", "create", "roles", "-n", unwatched],
  "list Databases of all namespaces": ["no", "list", "databases.example.com", "-A"],
  "make Services in its own namespace": ["no", "create", "services", "-n", "database-operator-system"],
  "ask for a namespace that it watches": ["yes", "get", `namespaces/${watched}`],
  "ask for another namespace": ["no", "get", `namespaces/${unwatched}`],
};

for (const [sentence, [allowed, ...args]] of Object.entries(may)) {
  test(`the operator ${allowed === "yes" ? "may" : "may not"} ${sentence}`, async () => {
    const answer = platform.kubectl("auth", "can-i", ...args, `--as=${identity}`);
    if (allowed === "yes") assert.equal((await answer).trim(), "yes");
    else await assert.rejects(answer, /^no$/m);
  });
}

test("the namespace comes, and its Roles by `pulumi up`: its Databases are picked up without a restart", async () => {
  const { kubectl } = platform;
  await makeNamespace(kubectl, late);
  await kubectl.apply(database("orders", late, { replicas: 1 }));
  await platform.up();
  await untilReady(kubectl, [late, "orders"], minutes(2));
});

test("a namespace goes: the operator forgets what was there and keeps working elsewhere", async () => {
  const { kubectl } = platform;
  await kubectl("delete", "database", "orders", "-n", late);
  await untilGone(kubectl, [late, "orders"], minutes(1));
  await kubectl("delete", "namespace", late);
  await kubectl.apply(database("after", watched, { replicas: 1 }));
  await untilReady(kubectl, [watched, "after"], minutes(2));
  assert.equal(await operator.probe("/readyz"), 200);
});
