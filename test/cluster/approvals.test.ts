// Changes that wait for approval or a window, by people with their own rights. A real API server and provider; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import type { PendingChange } from "../../operator/api/pending-change";
import { freePorts } from "../../tools/host/ports";
import { annotate, approve, asPerson, pendingOf, untilWaits as untilWaitsIn, type Place } from "../harness/approvals";
import { database, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace, type Kubectl } from "../harness/kubectl";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { otherRelease } from "../harness/other-release";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { userOf } from "../harness/people";
import { deletePods, readMember, type ShownMember } from "../harness/pods";

const namespace = "approvals";

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
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  directory = await mkdtemp(join(tmpdir(), "approvals-test-"));
  const person = (name: string, ...roles: string[]): Promise<Kubectl> =>
    asPerson(platform, { namespace, name, roles }, directory);
  john = await person("john", "edit", "database-operator-approve");
  maria = await person("maria", "database-operator-approve");
  ann = await person("ann", "edit");
  await eventually(() => ann("auth", "can-i", "patch", "databases.example.com", "-n", namespace));
  await startOperator();
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

/** `program`: a compiled operator. Default: the one that the sources make. */
async function startOperator(program?: string): Promise<void> {
  operator = await startOperatorProcess({
    ...(program !== undefined && { program }),
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

const untilWaits = (place: Place, reason?: string): Promise<PendingChange> =>
  untilWaitsIn(platform.kubectl, place, reason);

const versionOf = async ([, name]: Place): Promise<unknown> =>
  z
    .object({ status: z.object({ version: z.string() }) })
    .parse(await platform.kubectl.find("database", name, namespace)).status.version;

const Identified = z.object({ metadata: z.object({ uid: z.string() }) });

/** Throws where there is none. */
const uidOf = async (kind: string, name: string): Promise<string> =>
  Identified.parse(await platform.kubectl.find(kind, name, namespace)).metadata.uid;

const memberOf = (name: string): Promise<ShownMember> => readMember(platform.kubectl, namespace, name);

test("a change that restarts members waits, and is carried out once another person approves it", async () => {
  const place = await converged("orders");
  await change(place);
  const pending = await untilWaits(place);
  assert.deepEqual(pending.requestedBy, [userOf("john")]);
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
  assert.equal(await pendingOf(platform.kubectl, place), undefined);
});

test("who may not, names another person, or another plan, is refused by the API server, and nothing changes", async () => {
  const place = await converged("refused");
  await change(place, {}, ann);
  const { digest } = await untilWaits(place);
  await assert.rejects(approve(place, ann, digest), /needs the verb approve/);
  await assert.rejects(approve(place, maria, "0".repeat(64)), new RegExp(`must be the digest .* ${digest}`));
  const byJohn = [`${approvalKeys.approve}=${digest}`, `${approvalKeys.by}=${userOf("john")}`];
  await assert.rejects(annotate(place, maria, ...byJohn), /an approval names who approves/);
  for (const moment of ["2", `${await uidOf("database", "refused")} 2`, `${await uidOf("database", "refused")} 3`])
    await assert.rejects(
      annotate(place, ann, `${approvalKeys.changedBy}=${moment} ${userOf("maria")}`),
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
  assert.deepEqual(later.requestedBy, [userOf("john"), userOf("ann")]);
  await assert.rejects(approve(place, john, later.digest), /another person must approve it/);
  assert.equal((await untilWaits(place)).approval, undefined);
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
  const pending = await pendingOf(platform.kubectl, place);
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
  const [service, pod] = [await uidOf("service", "repaired-ro"), await memberOf("repaired-1")];
  await platform.kubectl("delete", "service", "repaired-ro", "-n", namespace);
  const said = [`${approvalKeys.approve}=${digest}`];
  await assert.rejects(annotate(place, maria, ...said), /an approval names who approves/, "no webhook fills that in");
  await startOperator();
  await eventually(async () => {
    assert.notEqual(await uidOf("service", "repaired-ro"), service);
  }, minutes(1));
  await deletePods(platform.kubectl, namespace, ["repaired-1"]);
  await eventually(async () => {
    const now = await memberOf("repaired-1");
    assert.notEqual(now.uid, pod.uid);
    assert.deepEqual(now.images, pod.images, "as it was before the change");
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

test("a change that was made while no operator was there has no known author: it can be approved once it is made again", async () => {
  const place = await converged("unknown");
  await operator.stop();
  await change(place);
  await startOperator();
  const pending = await untilWaits(place);
  assert.equal(pending.requestedBy, undefined);
  await assert.rejects(approve(place, maria, pending.digest), /who did is not known: take the change back/);
  await change(place, { version: "17.6" });
  await untilCondition(platform.kubectl, place, { type: "ChangePending", status: "False" });
  await change(place);
  const again = await untilWaits(place);
  assert.deepEqual(again.requestedBy, [userOf("john")]);
  await approve(place, maria, again.digest);
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await versionOf(place), "17.7");
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

test("an author that a manifest brings along is none", async () => {
  const policy = { changePolicy: { requireApproval: ["Removal"] } };
  const annotations = { [approvalKeys.changedBy]: `2 ${userOf("maria")}` };
  const planted = {
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: { name: "planted", namespace, annotations },
  };
  await ann.apply({ ...planted, spec: { engine: "postgresql", version: "17.6", replicas: 3, ...policy } });
  await untilReady(platform.kubectl, [namespace, "planted"], minutes(2));
  await john("scale", "database", "planted", "-n", namespace, "--replicas=2");
  const { digest, requestedBy } = await untilWaits([namespace, "planted"]);
  assert.equal(requestedBy, undefined);
  await assert.rejects(approve([namespace, "planted"], john, digest), /who did is not known/);
});

test("a deletion waits for nothing", async () => {
  const place = await converged("deleted");
  await change(place);
  await untilWaits(place);
  await john("delete", "database", "deleted", "-n", namespace, "--timeout=120s");
  assert.equal(await platform.kubectl.find("database", "deleted", namespace), undefined);
});

test("a release of the operator that restarts members waits as well: members stay, also one that is created again", async () => {
  // they would wait for that release as well
  await john("delete", "database", "--all", "-n", namespace, "--timeout=200s");
  const place = await converged("released");
  const before = await memberOf("released-0");
  const release = await otherRelease();
  await operator.stop();
  await startOperator(release.program);
  const { digest, changes, requestedBy } = await untilWaits(place);
  assert.deepEqual([changes, requestedBy], [[{ path: "operator", after: "another release" }], []]);
  await platform.kubectl("delete", "service", "released-ro", "-n", namespace);
  await eventually(() => uidOf("service", "released-ro"), minutes(1));
  await deletePods(platform.kubectl, namespace, ["released-1"]);
  await eventually(async () => {
    assert.deepEqual((await memberOf("released-1")).zoneWeights, before.zoneWeights);
  }, minutes(1));
  assert.deepEqual(await memberOf("released-0"), before);
  await approve(place, john, digest);
  // while the release alone waits, all that the spec asks for is ready
  await eventually(async () => {
    assert.equal(await pendingOf(platform.kubectl, place), undefined);
  }, minutes(2));
  await untilReady(platform.kubectl, place, minutes(2));
  assert.notDeepEqual((await memberOf("released-0")).zoneWeights, before.zoneWeights);
  await release.forget();
});
