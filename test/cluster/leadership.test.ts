// Several operators, one leader: who takes over from one that is killed, frozen or asked to stop, and what the others write.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import { database, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import type { FaultProxy } from "../harness/fault-proxy";
import { startFlood } from "../harness/flood";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import {
  kubeconfigOf,
  simulatedCatalogue,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";
import { startProxy, throughProxy } from "../harness/proxied";
import { freePorts } from "../../tools/host/ports";
import { familyOf } from "../judges/invariants/processes";

/** After which another operator may lead. */
const leaseMs = 15_000;

interface Contender {
  readonly operator: OperatorProcess;
  /** By which the audit log distinguishes its requests from those of the others. */
  readonly credential: string;
}

let platform: PlatformCluster;
let proxy: FaultProxy;
let directory: string;
/** Of the first leader's webhooks. */
let port: number;
let leader: Contender;
const contenders: Contender[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "leadership-test-"));
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  proxy = await startProxy(platform.cluster);
  [port] = await freePorts();
});
after(async () => {
  for (const { operator } of contenders) await operator.stop();
  await proxy.stop();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

const Users = z.object({ users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]) });
const Claims = z.object({ jti: z.string() });

/** Starts one more operator, with a token of its own. */
async function contend(more: Readonly<Record<string, string>> = {}): Promise<Contender> {
  const text = await kubeconfigOf("database-operator", platform.kubectl);
  const kubeconfig = join(directory, `${contenders.length}.kubeconfig`);
  await writeFile(kubeconfig, throughProxy(text, proxy.url), { mode: 0o600 });
  const [{ user }] = Users.parse(parse(text)).users;
  const { jti } = Claims.parse(JSON.parse(Buffer.from(user.token.split(".")[1] ?? "", "base64url").toString()));
  const environment = {
    ...platform.operatorEnvironment,
    KUBECONFIG: kubeconfig,
    DATABASE_OPERATOR_PULUMI: "resident",
    DATABASE_OPERATOR_LEADER_ELECTION: "true",
    ...more,
  };
  const contender = { operator: await startOperatorProcess({ environment }), credential: `JTI=${jti}` };
  contenders.push(contender);
  return contender;
}

/** Waits until the operator has said so. */
const untilSays = ({ operator }: Contender, message: string): Promise<void> =>
  eventually(() => {
    assert(
      operator.log.some(({ msg }) => msg === message),
      `the operator has not said "${message}"`,
    );
  }, minutes(1));

const credentialKey = "authentication.kubernetes.io/credential-id";
const Audited = z.object({
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  requestReceivedTimestamp: z.string(),
  user: z.object({ extra: z.record(z.string(), z.array(z.string())).default({}) }),
  objectRef: z.object({ resource: z.string() }).optional(),
  responseStatus: z.object({ code: z.number() }),
});

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

interface Write {
  /** When it was received, in milliseconds since 1970. */
  readonly at: number;
  readonly verb: string;
  readonly path: string;
  readonly isOfLease: boolean;
}

/** Writes of one operator and all that it started, in order. */
async function allWritesOf({ credential }: Contender): Promise<Write[]> {
  const lines = (await readFile(platform.cluster.auditLog, "utf8")).split("\n");
  return lines
    .filter((line) => line.includes(credential))
    .map((line) => Audited.parse(JSON.parse(line)))
    .filter(({ stage, verb }) => stage === "ResponseComplete" && writing.has(verb))
    .filter(({ user, responseStatus }) => user.extra[credentialKey]?.[0] === credential && responseStatus.code < 300)
    .map(({ requestReceivedTimestamp, verb, requestURI, objectRef }) => ({
      ...{ at: Date.parse(requestReceivedTimestamp), verb, path: requestURI },
      isOfLease: objectRef?.resource === "leases",
    }))
    .sort((one, other) => one.at - other.at);
}

/** What it wrote but for the Lease, as `verb path`. */
async function writesOf(contender: Contender, since = 0): Promise<string[]> {
  const found = await allWritesOf(contender);
  return found.filter(({ at, isOfLease }) => !isOfLease && at >= since).map(({ verb, path }) => `${verb} ${path}`);
}

/** Throws where no operator led for longer, by who wrote the Lease: however busy this machine keeps the test itself. */
async function assertInterregnum(former: Contender, next: Contender, maxMs: number): Promise<void> {
  const [last, first] = [(await allWritesOf(former)).findLast(isOfLease), (await allWritesOf(next)).find(isOfLease)];
  assert(last && first);
  const ms = first.at - last.at;
  assert(ms < maxMs, `none led for ${ms / 1000} s`);
}
const isOfLease = (write: Write): boolean => write.isOfLease;

async function make(name: string): Promise<readonly [string, string]> {
  const namespace = await makeNamespace(platform.kubectl, name);
  await platform.kubectl.apply(database("shop", namespace));
  return [namespace, "shop"];
}

const signal = (pids: readonly number[], name: "SIGSTOP" | "SIGCONT"): void => {
  for (const pid of pids) process.kill(pid, name);
};

test("one leads and does the work, the other stands by and writes nothing", async () => {
  leader = await contend({ DATABASE_OPERATOR_WEBHOOK_PORT: String(port) });
  await untilSays(leader, "leading");
  const other = await contend();
  await untilSays(other, "standing by");
  await untilReady(platform.kubectl, await make("two"), minutes(2));
  assert((await writesOf(leader)).length > 20);
  assert.deepEqual(await writesOf(other), []);
  assert.match(await leader.operator.metrics(), /^leader_election_master_status\{.*\} 1$/m);
  assert.match(await other.operator.metrics(), /^leader_election_master_status\{.*\} 0$/m);
  assert.equal(await other.operator.probe("/readyz"), 200);
});

test("a leader whose webhooks are flooded with the longest bodies keeps leading, and does its work", async () => {
  const object = '{"apiVersion":"example.com/v1","kind":"Database","metadata":{},"spec":{}},';
  const objects = object.repeat(Math.floor((30 * 1024 ** 2) / object.length)).slice(0, -1);
  const review = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"example.com/v1beta1","objects":[${objects}]}}`;
  const since = Date.now();
  // as many as are held at a time: of more most are refused before they are read
  const flood = startFlood(port, "/convert", review, 2);
  try {
    await untilReady(platform.kubectl, await make("flooded"), minutes(2));
    await eventually(() => {
      assert(Date.now() - since > leaseMs && (flood.answers.get(200) ?? 0) > 0, JSON.stringify([...flood.answers]));
    }, minutes(2));
  } finally {
    await flood.stop();
  }
  const renewals = (await allWritesOf(leader)).filter(({ at, isOfLease: isRenewal }) => isRenewal && at > since);
  assert(renewals.length > 3, `${renewals.length} renewals`);
  assert(!leader.operator.log.some(({ msg }) => msg === "leadership lost"));
});

test("the leader is killed: within 20 seconds the other one leads", async () => {
  const [former, next] = [leader, contenders.at(-1)];
  assert(next);
  await former.operator.kill();
  const place = await make("killed");
  await untilSays(next, "leading");
  await assertInterregnum(former, next, 20_000);
  await untilReady(platform.kubectl, place, minutes(2));
  leader = next;
});

test("a leader that was frozen in the middle of a run writes nothing any more, and ends", async () => {
  const frozen = leader;
  const next = await contend();
  await untilSays(next, "standing by");
  // what waits for the Role is sent once it is created: that is the write that comes too late
  const held = proxy.hold({ by: "provider", verb: "patch", resource: "roles" });
  const place = await make("frozen");
  await held.held();
  const family = familyOf(frozen.operator.pid).map(({ pid }) => pid);
  signal(family, "SIGSTOP");
  held.release();
  await untilSays(next, "leading");
  await untilReady(platform.kubectl, place, minutes(2));
  const thawed = Date.now();
  // its Pulumi continues first, and hears nothing of an operator that is still frozen
  signal(
    family.filter((pid) => pid !== frozen.operator.pid),
    "SIGCONT",
  );
  await consistently(async () => {
    assert.deepEqual(await writesOf(frozen, thawed), []);
  }, 5_000);
  signal([frozen.operator.pid], "SIGCONT");
  await eventually(() => {
    assert.deepEqual(familyOf(frozen.operator.pid), []);
  }, minutes(1));
  // its last words may still be on their way
  await eventually(() => {
    assert.deepEqual(frozen.operator.log.at(-1)?.msg, "leadership lost");
  });
  for (const pid of family)
    await eventually(() => {
      assert(!familyOf(pid).some((member) => member.pid === pid));
    }, minutes(1));
  assert.deepEqual(await writesOf(frozen, thawed), []);
  assert((await writesOf(frozen)).length > 0, "it had written before");
  leader = next;
});

test("a leader that is told to stop hands over at once", async () => {
  const next = await contend();
  await untilSays(next, "standing by");
  const place = await make("stopped");
  assert.equal(await leader.operator.stop(), 0);
  await untilSays(next, "leading");
  await assertInterregnum(leader, next, 5_000);
  await untilReady(platform.kubectl, place, minutes(2));
  leader = next;
});
