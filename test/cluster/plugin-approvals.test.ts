// Changes that wait, told and approved by `kubectl database-operator`, against a real API server and operator; nodes are simulated.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { previewApiService } from "../../contract/resources";
import { refusalOf } from "../../plugin/approve/refusal";
import { approve, whoAsks } from "../../plugin/approve/request";
import { openCluster } from "../../plugin/cluster/client";
import { ApiFailure } from "../../plugin/command/world";
import { freePorts } from "../../tools/host/ports";
import { untilCounted } from "../harness/at-rest";
import { database, untilBackedUp, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { userOf } from "../harness/people";
import { pluginUsers, type Ended, type PluginUsers } from "../harness/plugin";
import { withoutWrites } from "../harness/preview";

const namespace = "shop";

let platform: PlatformCluster;
let operator: OperatorProcess;
let users: PluginUsers;
let port: number;

before(async () => {
  platform = await startPlatformCluster({
    ...{ nodes: "simulated", catalogue: simulatedCatalogue },
    settings: { approverMayBeAuthor: false },
  });
  [port] = await freePorts();
  users = await pluginUsers(platform, namespace);
  for (const role of ["view", "edit"]) await users.user(role);
  await users.user("dba", ["view", "database-operator-approve"]);
  await users.user("author", ["edit", "database-operator-approve"]);
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  await startOperator();
  await platform.kubectl("wait", "--for=condition=Available", `apiservice/${previewApiService}`, "--timeout=60s");
  await platform.kubectl.apply(database("quiet", namespace, { replicas: 1, backup: { enabled: false } }));
  await users.kubectl(["apply", "-f", "-"], { role: "author", input: held() });
  for (const name of ["quiet", "held"]) await untilReady(platform.kubectl, [namespace, name], minutes(2));
  await untilBackedUp(platform.kubectl, [namespace, "held"], minutes(2));
  await untilCounted(platform.kubectl, [namespace, "held"]);
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await users.remove();
});

async function startOperator(): Promise<void> {
  operator = await startOperatorProcess({
    environment: {
      ...platform.operatorEnvironment,
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      DATABASE_OPERATOR_PREVIEW_API: "true",
      DATABASE_OPERATOR_APPROVALS: "true",
      DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR: "false",
    },
  });
}

/** Does it, and sees that nothing was written meanwhile. */
const quietly = (work: () => Promise<Ended>): Promise<Ended> =>
  withoutWrites(platform.kubectl, [namespace, "database-operator-system"], work);

const held = (spec: Record<string, unknown> = {}): unknown =>
  database("held", namespace, { replicas: 2, changePolicy: { requireApproval: ["RollingRestart"] }, ...spec });

/** The digest of the plan that waits once the operator has looked at what was written last. */
async function plan(): Promise<string> {
  const Waiting = z.object({ state: z.literal("WAITING"), pendingChange: z.object({ digest: z.string().length(64) }) });
  return eventually(async () => {
    const { out } = await users.plugin("status held -o json");
    return Waiting.parse(JSON.parse(out)).pendingChange.digest;
  }, minutes(1));
}

const change = (max: number): Promise<Ended> =>
  users.kubectl(["apply", "-f", "-"], { role: "author", input: held({ config: { max_connections: String(max) } }) });

test("a change that would wait is told before, and one that waits is shown to readers", async () => {
  const input = held({ config: { max_connections: "150" } });
  const before = await quietly(() => users.plugin("preview -f -", { role: "edit", input }));
  assert.match(before.out, /\nPolicy {2}by the change policy it waits for approval \(RollingRestart\)\n/);
  await change(150);
  const digest = await plan();
  const { out } = await quietly(() => users.plugin("status held"));
  assert.match(out, /^shop\/held {3}PostgreSQL 17\.\d+ {3}WAITING {3}/);
  assert.match(out, /\nWaiting {3}for approval\n {12}spec\.config\.max_connections {2}\+ 150\n(.*\n)* {10}RESTARTS: /);
  assert.match(out, new RegExp(`plan ${digest.slice(0, 12)}, asked for .* ago by ${userOf("author")}, `));
  const waited = await users.plugin("wait held");
  assert.match(waited.out, /a change waits for approval: kubectl database-operator approve held -n shop\n$/);
  assert.equal(waited.code, 1);
});

const refused: Readonly<Record<string, readonly [line: string, role: string, code: number, said: RegExp]>> = {
  "a reader": [
    "approve held --yes",
    "view",
    2,
    /you \(\S+:view\) may not patch databases\.example\.com held in namespace/,
  ],
  "a writer": [
    "approve held --yes",
    "edit",
    2,
    /you \(\S+:edit\) may not approve databases\.example\.com held in namespace/,
  ],
  "its author": ["approve held --yes", "author", 2, /you asked for this change: another person must approve it\n$/],
  "another plan": ["approve held --yes --plan=000000", "dba", 1, /the plan 000000 does not wait/],
  "a plan unseen": ["approve held", "dba", 2, /approve asks first, and there is no terminal: nothing was changed/],
  "no change": ["approve quiet --yes", "dba", 1, /shop\/quiet: no change waits: there is nothing to approve\n$/],
  "no Database": [
    "approve hold --yes",
    "dba",
    2,
    /there is no Database "hold" in namespace shop\n {2}did you mean held/,
  ],
};
for (const [what, [line, role, code, said]] of Object.entries(refused)) {
  test(`an approval is refused in plain words, and nothing is written: ${what}`, async () => {
    const ended = await quietly(() => users.plugin(line, { role }));
    assert.match(ended.err, said);
    assert.equal(ended.code, code);
  });
}

test("a plan that moves while it is looked at is not approved", async () => {
  const cluster = await openCluster({
    kubeconfig: join(users.directory, "dba"),
    context: undefined,
    as: undefined,
    groups: [],
  });
  const approval = { namespace, digest: "0".repeat(64), isNow: false, user: await whoAsks(cluster) };
  const kinds = { held: /the plan has moved/, quiet: /no change waits any more/ };
  for (const [name, said] of Object.entries(kinds))
    await assert.rejects(approve(cluster, { ...approval, name }, false), (error) => {
      assert.ok(error instanceof ApiFailure);
      const { kind, text } = refusalOf(error, { namespace, name, user: approval.user });
      assert.match(text, said);
      return kind === "moved";
    });
});

test("an approved change is carried out, and is followed to its end", async () => {
  const digest = await plan();
  const { code, out, err } = await users.plugin(`approve held --yes --timeout=2m --plan=${digest.slice(0, 8)}`, {
    role: "dba",
  });
  assert.match(
    out,
    /shop\/held: approved: the change is being carried out\nNext {2}kubectl database-operator wait held /,
  );
  assert.deepEqual([code, err], [0, ""]);
  const waited = await users.plugin("wait held --timeout=3m");
  assert.equal(waited.code, 0, waited.out);
  const { out: fares } = await users.plugin("status held");
  assert.match(fares, /^shop\/held {3}\S+ \S+ {3}READY {3}/);
  assert.doesNotMatch(fares, /Waiting/);
});

test("an approval while no operator answers is on record, and counts once one is back", async () => {
  await change(160);
  await plan();
  await operator.stop();
  const away = await users.plugin("approve held --yes --timeout=2s", { role: "dba" });
  assert.match(away.out, /on record; the operator has said nothing of it within 2s: it counts as soon as one looks/);
  assert.deepEqual([away.code, away.err], [0, ""]);
  const unjudged = await users.plugin("wait held --timeout=0");
  assert.match(unjudged.out, /the operator has not looked at the one on it yet\n$/);
  // who may not approve may take an approval back
  const rejected = await users.plugin("reject held", { role: "edit" });
  assert.match(
    rejected.out,
    /^shop\/held: the approval of plan [0-9a-f]{12} is taken back: nothing is carried out by it\n/,
  );
  assert.deepEqual([rejected.code, rejected.err], [0, ""]);
  const none = await users.plugin("reject held", { role: "edit" });
  assert.match(none.out, /^shop\/held: nothing approves it: /);
  const again = await users.plugin("approve held --yes --timeout=0", { role: "dba" });
  assert.deepEqual([again.code, again.err], [0, ""]);
  await startOperator();
  const waited = await users.plugin("wait held --timeout=3m");
  assert.equal(waited.code, 0, waited.out);
});
