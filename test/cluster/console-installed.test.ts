// The shared console as `pulumi up` installs it, with its own account at a real API server, behind a stand-in for the proxy.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Issued } from "../../operator/certificates/certificate-set";
import { issueServing } from "../../operator/certificates/issue";
import { webhookTerms } from "../../operator/certificates/rotation";
import { issueClient, newAuthority } from "../fakes/client-certificate";
import { rawConsole } from "../fakes/console-settings";
import { database, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { forwarded, startSharedConsole, type Forwarding, type SharedConsoleProcess } from "../harness/shared-console";

const namespace = "shop";
const page = "/console/databases/shop/orders";
const origin = new URL(rawConsole.url).origin;
const host = "database-operator-console.database-operator-system.svc";
const account = "--as=system:serviceaccount:database-operator-system:database-operator-console";

let platform: PlatformCluster;
let operator: OperatorProcess;
let directory: string;
let authority: Issued;
let shared: SharedConsoleProcess;
let proxy: Agent;

before(async () => {
  authority = await newAuthority();
  const image = "registry.example.com/database-operator:1";
  const ofProxy = { ...rawConsole.proxy, ca: authority.certificate };
  platform = await startPlatformCluster({
    ...{ nodes: "simulated", catalogue: simulatedCatalogue },
    settings: { console: { ...rawConsole, image, proxy: ofProxy } },
  });
  directory = await mkdtemp(join(tmpdir(), "console-installed-"));
  shared = await startSharedConsole(platform.kubectl, { directory, pair: await newPair() });
  proxy = await proxyAgent();
  operator = await startOperatorProcess({
    environment: { ...platform.operatorEnvironment, DATABASE_OPERATOR_APPROVALS: "true" },
  });
  await makeNamespace(platform.kubectl, namespace);
  for (const [role, who] of Object.entries({
    view: "--group=oidc:dev",
    "database-operator-approve": "--user=oidc:amy",
  }))
    await platform.kubectl("create", "rolebinding", role, "-n", namespace, `--clusterrole=${role}`, who);
  await platform.kubectl.apply(orders("100"));
  await untilReady(platform.kubectl, [namespace, "orders"], minutes(2));
  await platform.kubectl.apply(orders("150"));
  await eventually(async () => {
    assert.match(await planOf(), /^[0-9a-f]{6,}$/);
  }, minutes(1));
});
after(async () => {
  proxy.destroy();
  await shared.stop();
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true });
});

const newPair = (): Promise<Issued> => issueServing(authority, { hosts: [host], terms: webhookTerms }, new Date());

const proxyAgent = async (): Promise<Agent> =>
  new Agent({
    ...(await issueClient(authority, "console-proxy")),
    ...{ ca: authority.certificate, servername: host, keepAlive: true, maxCachedSessions: 0 },
  });

const orders = (connections: string): unknown =>
  database("orders", namespace, {
    ...{ replicas: 2, config: { max_connections: connections } },
    changePolicy: { requireApproval: ["RollingRestart", "Switchover", "Downtime"] },
  });

const planOf = (): Promise<string> =>
  platform.kubectl("get", "database", "orders", "-n", namespace, "-o", "jsonpath={.status.pendingChange.digest}");

interface As {
  readonly user: string;
  readonly groups?: string;
}

const headersOf = ({ user, groups }: As): Readonly<Record<string, string>> => ({
  "x-remote-user": user,
  ...(groups !== undefined && { "x-remote-groups": groups }),
  origin,
});

const asked = (who: As, path: string): Promise<Forwarding> =>
  forwarded(proxy, shared.port, { path, headers: headersOf(who) });

/** Sends a form with the token of the person. */
async function sent(who: As, path: string, fields: Readonly<Record<string, string>>): Promise<Forwarding> {
  const { text } = await asked(who, `${page}/edit`);
  const [, token = ""] = /name="token" value="([^"]+)"/.exec(text) ?? [];
  return forwarded(proxy, shared.port, { path, headers: headersOf(who), form: { token, ...fields } });
}

const viewer: As = { user: "john", groups: "dev,staff" };
const approver: As = { user: "amy", groups: "dev" };
const stranger: As = { user: "eve", groups: "staff" };

test("two pods of it run, and its account may act for people and the groups that are named, and nothing else", async () => {
  const name = ["database-operator-console", "-n", "database-operator-system"];
  await platform.kubectl("rollout", "status", "deployment", ...name, "--timeout=60s");
  assert.equal(await platform.kubectl("get", "deployment", ...name, "-o", "jsonpath={.status.readyReplicas}"), "2");
  const listed = await platform.kubectl("auth", "can-i", "--list", account);
  assert.doesNotMatch(listed, /secrets|databases|pods/);
  const may = async (...what: string[]): Promise<string> =>
    // it ends with 1 where the answer is no
    platform.kubectl("auth", "can-i", ...what, account).then(
      (text) => text.trim(),
      () => "no",
    );
  assert.equal(await may("impersonate", "users"), "yes");
  assert.equal(await may("impersonate", "groups/oidc:dev"), "yes");
  for (const what of ["groups/system:masters", "groups/oidc:staff", "groups", "serviceaccounts", "userextras/scopes"])
    assert.equal(await may("impersonate", what), "no", what);
  assert.equal(await may("get", "secrets", "-n", "database-operator-system"), "no");
});

test("who may look sees what waits, by a right of a group, and is refused an approval", async () => {
  const { status, text } = await asked(viewer, page);
  assert.equal(status, 200, text);
  assert.match(text, /Signed in as <bdi>oidc:john<\/bdi>/);
  assert.match(text, /A change waits/);
  assert.match(text, /that needs the verbs approve and patch/);
  const refused = await sent(viewer, `${page}/approve`, { digest: await planOf(), when: "window" });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /You may not do this/);
  assert.match(await planOf(), /^[0-9a-f]{6,}$/);
});

test("a stranger sees nothing, nor does one of whom the proxy says that they are of Kubernetes itself", async () => {
  for (const path of ["/console/", page, `${page}/why`, `${page}/edit`]) {
    const { status, text } = await asked(stranger, path);
    assert.equal(status, 403, path);
    assert.doesNotMatch(text, /PostgreSQL|A change waits/);
  }
  // with a prefix it is a group like others, for which the account may not act: left out
  assert.equal((await asked({ user: "eve", groups: "system:masters" }, page)).status, 403);
});

test("without the proxy's certificate there is no page, whatever the headers say", async () => {
  const agent = new Agent({ ca: authority.certificate, servername: host });
  const { status } = await forwarded(agent, shared.port, { path: page, headers: headersOf(approver) });
  assert.equal(status, 401);
  agent.destroy();
});

test("another certificate is served without a restart, and connections that are open stay", async () => {
  const open = await proxyAgent();
  const over = (agent: Agent): Promise<Forwarding> =>
    forwarded(agent, shared.port, { path: page, headers: headersOf(viewer) });
  const first = await over(open);
  await shared.mount(await newPair());
  await eventually(async () => {
    const next = await proxyAgent();
    const { serial, status } = await over(next).finally(() => {
      next.destroy();
    });
    assert.equal(status, 200);
    // one over which nothing is asked is closed after a while
    assert.equal((await over(open)).serial, first.serial);
    assert.notEqual(serial, first.serial);
  }, minutes(1));
  const again = await over(open);
  assert.deepEqual([again.status, again.serial], [200, first.serial]);
  open.destroy();
});

test("an approval is the approver's own, by the name that the API server knows", async () => {
  const digest = await planOf();
  assert.equal((await sent(approver, `${page}/approve`, { digest, when: "window" })).status, 303);
  const by = "jsonpath={.metadata.annotations.database\\.example\\.com/approved-by}";
  assert.equal(await platform.kubectl("get", "database", "orders", "-n", namespace, "-o", by), "oidc:amy");
  await eventually(async () => {
    assert.equal(await planOf(), "");
  }, minutes(1));
});
