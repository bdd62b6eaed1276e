// Changes that wait for approval or a window, by people with their own rights. A real API server and provider; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { PendingChange } from "../../operator/api/pending-change";
import { freePorts } from "../../tools/host/ports";
import { database, messageOf, readDatabase, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { kubectlFor, makeNamespace, type Kubectl } from "../harness/kubectl";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import {
  kubeconfigOf,
  simulatedCatalogue,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";

const namespace = "approvals";
/** Of accounts that stand for people: those of the Database's own namespace approve nothing. */
const people = "people";
type Place = readonly [namespace: string, name: string];

let platform: PlatformCluster;
let operator: OperatorProcess;
let directory: string;
let port: number;
/** Writes Databases and approves; approves; writes Databases alone. */
let john: Kubectl;
let maria: Kubectl;
let ann: Kubectl;

before(async () => {
  platform = await startPlatformCluster({
    ...{ nodes: "simulated", catalogue: simulatedCatalogue },
    settings: { approverMayBeAuthor: false },
  });
  [port] = await freePorts();
  await makeNamespace(platform.kubectl, namespace);
  await makeNamespace(platform.kubectl, people);
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  directory = await mkdtemp(join(tmpdir(), "approvals-test-"));
  john = await userWith("john", "edit", "database-operator-approve");
  maria = await userWith("maria", "database-operator-approve");
  ann = await userWith("ann", "edit");
  await eventually(() => ann("auth", "can-i", "patch", "databases.example.com", "-n", namespace));
  await startOperator();
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

const userOf = (name: string): string => `system:serviceaccount:${people}:${name}`;

async function userWith(name: string, ...roles: readonly string[]): Promise<Kubectl> {
  const { kubectl } = platform;
  await kubectl("create", "serviceaccount", name, "-n", people);
  const account = ["-n", namespace, `--serviceaccount=${people}:${name}`];
  for (const role of roles)
    await kubectl("create", "rolebinding", `${name}-${role}`, `--clusterrole=${role}`, ...account);
  const file = join(directory, name);
  await writeFile(file, await kubeconfigOf(name, kubectl, people), { mode: 0o600 });
  return kubectlFor({ ...platform.environment, KUBECONFIG: file });
}

async function startOperator(): Promise<void> {
  operator = await startOperatorProcess({
    environment: {
      ...platform.operatorEnvironment,
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      DATABASE_OPERATOR_APPROVALS: "true",
      DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR: "false",
    },
  });
  // the API server hears of the webhooks' authority a moment later
  await eventually(async () => {
    const wrong = database("probe", namespace, { version: "99.1" });
    await assert.rejects(platform.kubectl.input(wrong, "apply", "--dry-run=server", "-f", "-"), /the catalogue has no/);
  }, minutes(1));
}

const asks = { changePolicy: { requireApproval: ["RollingRestart", "Downtime"] } };

/** A Database that has come through; each test has one of its own. */
async function converged(name: string, spec: Record<string, unknown> = asks): Promise<Place> {
  const place = [namespace, name] as const;
  await john.apply(database(name, namespace, { replicas: 2, ...spec }));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(2));
  return place;
}

/** As `by`: another version, which restarts members, and whatever else. */
async function change([, name]: Place, spec: Record<string, unknown> = {}, by = john): Promise<void> {
  const patch = JSON.stringify({ spec: { version: "17.7", ...spec } });
  await by("patch", "database", name, "-n", namespace, "--type=merge", "-p", patch);
}

const Waiting = z.object({ status: z.object({ pendingChange: PendingChange.optional() }) });

async function pendingOf([, name]: Place): Promise<PendingChange | undefined> {
  return Waiting.parse(await platform.kubectl.find("database", name, namespace)).status.pendingChange;
}

/** What waits once the condition says so of the present generation. */
async function untilWaits(place: Place, reason = "AwaitingApproval"): Promise<PendingChange> {
  await untilCondition(platform.kubectl, place, { type: "ChangePending", status: "True", reason }, minutes(1));
  const pending = await pendingOf(place);
  assert.ok(pending !== undefined);
  return pending;
}

const annotate = ([, name]: Place, by: Kubectl, ...annotations: string[]): Promise<string> =>
  by("annotate", "database", name, "-n", namespace, "--overwrite", ...annotations);

const approve = (place: Place, by: Kubectl, digest: string, key: string = approvalKeys.approve): Promise<string> =>
  annotate(place, by, `${key}=${digest}`);

const versionOf = async ([, name]: Place): Promise<unknown> =>
  z
    .object({ status: z.object({ version: z.string() }) })
    .parse(await platform.kubectl.find("database", name, namespace)).status.version;

test("a change that restarts members waits, and is carried out once another person approves it", async () => {
  const place = await converged("orders");
  await change(place);
  const pending = await untilWaits(place);
  assert.equal(pending.requestedBy, userOf("john"));
  assert.ok(pending.changes.some(({ path, after: value }) => path === "spec.version" && value === "17.7"));
  assert.ok(pending.consequences.some(({ effect, members }) => effect === "RollingRestart" && members.length === 2));
  assert.equal(await versionOf(place), "17.6");
  await approve(place, maria, pending.digest);
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await versionOf(place), "17.7");
  const annotations = z
    .object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) })
    .parse(await platform.kubectl.find("database", "orders", namespace)).metadata.annotations;
  assert.equal(annotations[approvalKeys.by], userOf("maria"), "who approved is recorded without a word of theirs");
});

test("what is harmless is carried out at once", async () => {
  const place = await converged("harmless");
  const runs = runsIn(operator, place.join("/"));
  await change(place, { version: "17.6", backup: { schedule: "30 3 * * *" } });
  await untilReady(platform.kubectl, place, minutes(1));
  assert.equal(runsIn(operator, place.join("/")), runs + 1);
  assert.equal(await pendingOf(place), undefined);
});

test("who may not, names another person, or another plan, is refused by the API server, and nothing changes", async () => {
  const place = await converged("refused");
  await change(place, {}, ann);
  const { digest } = await untilWaits(place);
  await assert.rejects(approve(place, ann, digest), /needs the verb approve/);
  await assert.rejects(approve(place, maria, "0".repeat(64)), new RegExp(`must be the digest .* ${digest}`));
  const byJohn = [`${approvalKeys.approve}=${digest}`, `${approvalKeys.by}=${userOf("john")}`];
  await assert.rejects(annotate(place, maria, ...byJohn), /an approval names who approves/);
  await assert.rejects(
    annotate(place, ann, `${approvalKeys.changedBy}=2 ${userOf("maria")}`),
    /says who changed the spec/,
  );
  await assert.rejects(approve([namespace, "missing"], maria, digest), /not found/);
  assert.equal((await untilWaits(place)).approval, undefined);
  assert.equal(await versionOf(place), "17.6");
});

test("its author may not approve a change, nor may the author of an earlier edit that waits with it", async () => {
  const place = await converged("author");
  await change(place);
  const { digest } = await untilWaits(place);
  await assert.rejects(approve(place, john, digest), /another person must approve it/);
  await change(place, { config: { max_connections: "150" } }, ann);
  const later = await eventually(async () => {
    const pending = await untilWaits(place);
    assert.notEqual(pending.digest, digest);
    return pending;
  }, minutes(1));
  await approve(place, john, later.digest);
  const seen = await untilWaits(place, "ApprovalVoid");
  assert.deepEqual([seen.approval?.state, seen.approval?.by], ["Author", userOf("john")]);
  await approve(place, maria, later.digest);
  await untilReady(platform.kubectl, place, minutes(2));
});

test("an approval of a plan that has moved is void: neither the former nor the later change is carried out", async () => {
  const place = await converged("moved", {
    changePolicy: { requireApproval: ["RollingRestart"], windows: [{ schedule: "0 0 29 2 *", duration: "1h" }] },
  });
  await change(place);
  const { digest } = await untilWaits(place);
  await approve(place, maria, digest);
  assert.equal((await untilWaits(place, "AwaitingWindow")).approval?.state, "Accepted");
  await change(place, { config: { max_connections: "150" } });
  const pending = await untilWaits(place, "ApprovalVoid");
  assert.equal(pending.approval?.state, "Stale");
  assert.equal(await versionOf(place), "17.6");
  await approve(place, maria, pending.digest, approvalKeys.now);
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await versionOf(place), "17.7");
});

test("edited back, nothing waits; the same change later has another plan", async () => {
  const place = await converged("back");
  await change(place);
  const { digest } = await untilWaits(place);
  await change(place, { version: "17.6" });
  await untilReady(platform.kubectl, place, minutes(1));
  await untilCondition(platform.kubectl, place, { type: "ChangePending", status: "False" });
  await change(place);
  assert.notEqual((await untilWaits(place)).digest, digest);
});

test("a window that opens lets a change through, and one that is shut says when it opens", async () => {
  const opens = new Date(Date.now() + 120_000);
  const schedule = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`;
  const place = await converged("window", { changePolicy: { windows: [{ schedule, duration: "5m" }] } });
  await change(place);
  const pending = await pendingOf(place);
  // a slow machine may take until then for the first steps
  if (pending !== undefined)
    assert.equal(Date.parse(pending.windowOpensAt ?? ""), Math.floor(opens.getTime() / 60_000) * 60_000);
  await untilReady(platform.kubectl, place, minutes(4));
  assert.ok(Date.now() >= Math.floor(opens.getTime() / 60_000) * 60_000, "not before it opens");
  assert.equal(await versionOf(place), "17.7");
});

test("while a change waits what runs is repaired, also by a successor, which knows the plan", async () => {
  const place = await converged("repaired");
  await change(place);
  const { digest } = await untilWaits(place);
  await operator.stop();
  const uid = async (): Promise<unknown> =>
    (await platform.kubectl.find("service", "repaired-ro", namespace)) ?? "none";
  const former = await uid();
  await platform.kubectl("delete", "service", "repaired-ro", "-n", namespace);
  const said = [`${approvalKeys.approve}=${digest}`];
  await assert.rejects(annotate(place, maria, ...said), /an approval names who approves/, "no webhook fills that in");
  await startOperator();
  await eventually(async () => {
    assert.notDeepEqual(await uid(), former);
    assert.notEqual(await uid(), "none");
  }, minutes(1));
  assert.equal((await untilWaits(place)).digest, digest);
  assert.equal(await versionOf(place), "17.6");
});

test("an approval that comes while no operator is there counts once one is", async () => {
  const place = await converged("away");
  await change(place);
  const { digest } = await untilWaits(place);
  await operator.stop();
  await annotate(place, maria, `${approvalKeys.approve}=${digest}`, `${approvalKeys.by}=${userOf("maria")}`);
  await startOperator();
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await versionOf(place), "17.7");
});

test("a change that was made while no operator was there has no known author: its approval does not count", async () => {
  const place = await converged("unknown");
  await operator.stop();
  await change(place);
  await startOperator();
  const pending = await untilWaits(place);
  assert.equal(pending.requestedBy, undefined);
  await approve(place, maria, pending.digest);
  assert.equal((await untilWaits(place, "ApprovalVoid")).approval?.state, "Author");
  assert.match(
    messageOf(await readDatabase(platform.kubectl, "unknown", namespace), "ChangePending"),
    /apply the change again/,
  );
});

test("an approval that is copied to another Database with its manifest is none", async () => {
  const place = await converged("copied");
  await change(place);
  const { digest } = await untilWaits(place);
  const annotations = { [approvalKeys.approve]: digest, [approvalKeys.by]: userOf("maria") };
  const copy = { apiVersion: "example.com/v1", kind: "Database", metadata: { name: "copy", namespace, annotations } };
  await john.apply({ ...copy, spec: { engine: "postgresql", version: "17.6", replicas: 2, ...asks } });
  await untilReady(platform.kubectl, [namespace, "copy"], minutes(2));
  await change([namespace, "copy"]);
  assert.equal((await untilWaits([namespace, "copy"], "ApprovalVoid")).approval?.state, "Unknown");
});

test("a deletion waits for nothing", async () => {
  const place = await converged("deleted");
  await change(place);
  await untilWaits(place);
  await john("delete", "database", "deleted", "-n", namespace, "--timeout=120s");
  assert.equal(await platform.kubectl.find("database", "deleted", namespace), undefined);
});
