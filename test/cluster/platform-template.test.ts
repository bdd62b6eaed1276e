// The kept platform that most tests start from: a cluster created from it is as one in which `pulumi up` ran, and its own.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { run } from "../../tools/host/command";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

const common = { nodes: "simulated", catalogue: simulatedCatalogue } as const;

let fresh: PlatformCluster;
let copy: PlatformCluster;

before(async () => {
  fresh = await startPlatformCluster({ ...common, fresh: true });
  copy = await startPlatformCluster(common);
});
after(async () => {
  await copy.stop();
  await fresh.stop();
});

const Listed = z.object({
  items: z.array(
    z.looseObject({
      apiVersion: z.string(),
      kind: z.string(),
      metadata: z.looseObject({ name: z.string(), namespace: z.string().default("") }),
    }),
  ),
});

/** What differs between any two clusters: times, numbers, who wrote when, and who vouches for the API server. */
const own = new Set([
  ...["uid", "resourceVersion", "managedFields", "creationTimestamp", "lastTransitionTime", "lastHeartbeatTime"],
  // the day on which the API server began to follow old tokens
  "since",
  ...["lastUpdateTime", "ca.crt", "client-ca-file", "requestheader-client-ca-file"],
]);
/** What happened, who is alive, and addresses of the programs on this machine. */
const passing = new Set(["Event", "Lease", "ComponentStatus"]);

/** An object without that; the port of its API server is the same word in each. */
function bare(value: unknown, { cluster }: PlatformCluster): unknown {
  const port = Number(new URL(cluster.apiServer).port);
  const kept = (key: string, part: unknown): unknown => (own.has(key) ? undefined : part === port ? "own port" : part);
  return JSON.parse(JSON.stringify(value, kept));
}

/** Every object of a cluster by kind and name, without what differs between any two clusters. */
async function objectsOf(platform: PlatformCluster): Promise<Map<string, unknown>> {
  const { kubectl } = platform;
  const kinds = (await kubectl("api-resources", "--verbs=list", "-o", "name")).trim().split("\n");
  const { items } = Listed.parse(JSON.parse(await kubectl("get", kinds.join(), "-A", "-o", "json")));
  const kept = items.filter(({ kind }) => !passing.has(kind));
  const entries = kept.map((object): [string, unknown] => {
    const { apiVersion, kind, metadata } = object;
    return [`${apiVersion} ${kind} ${metadata.namespace}/${metadata.name}`, bare(object, platform)];
  });
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("it has the objects of one that is made from nothing, except for uids and times", async () => {
  const [wanted, found] = [await objectsOf(fresh), await objectsOf(copy)];
  assert.ok(wanted.size > 150, String(wanted.size));
  assert.deepEqual([...found.keys()], [...wanted.keys()]);
  for (const [name, object] of wanted) assert.deepEqual(found.get(name), object, name);
});

test("`pulumi up` treats the platform in it as its own, and has nothing to do", async () => {
  assert.match(await copy.up(), /Resources:\n\s+\d+ unchanged/);
});

const readyNodes = (platform: PlatformCluster): Promise<string> =>
  platform.kubectl("get", "nodes", "-o", 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}');

test("what happens in it reaches no other, and neither does a token of it", async () => {
  await copy.kubectl("create", "namespace", "only-here");
  const next = await startPlatformCluster(common);
  try {
    assert.equal(await next.kubectl.find("namespace", "only-here"), undefined);
    assert.equal(await readyNodes(next), "True True");
    const asOperator = (platform: PlatformCluster, of: PlatformCluster): Promise<string> => {
      const flags = ["--server", platform.cluster.apiServer, "--insecure-skip-tls-verify"];
      return run(
        "kubectl",
        ["get", "databases", "-A", "--kubeconfig", of.operatorEnvironment["KUBECONFIG"] ?? "", ...flags],
        {
          env: platform.environment,
        },
      );
    };
    await asOperator(next, next);
    await assert.rejects(asOperator(next, copy), /Unauthorized/);
  } finally {
    await next.stop();
  }
});
