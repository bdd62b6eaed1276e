import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "./client";
import { createPlacement, openPlacement } from "./placement";

type Query = Readonly<Record<string, unknown>>;

const node = (name: string, memory: string, spec: unknown = {}): unknown => ({
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  spec,
  status: { allocatable: { cpu: "3920m", memory } },
});
const onNode = (name: string): unknown => ({
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [name] }] }],
      },
    },
  },
});

const objects: Readonly<Record<string, unknown>> = {
  "/api/v1/namespaces/team/persistentvolumeclaims/data-shop-0": { spec: { volumeName: "pv-0" } },
  "/api/v1/persistentvolumes/pv-0": onNode("small"),
  "/api/v1/namespaces/team/persistentvolumeclaims/data-shop-1": { spec: { volumeName: "pv-1" } },
  "/api/v1/persistentvolumes/pv-1": { spec: {} },
  "/api/v1/namespaces/team/persistentvolumeclaims/data-shop-2": { spec: {} },
};

/** Two pages of one node each. */
const nodes = [node("small", "2000Mi"), node("large", "16259536Ki")];
const client = {
  find: (path: string): Promise<unknown> => Promise.resolve(objects[path]),
  get: (_path: string, { query = {} }: { readonly query?: Query } = {}): Promise<unknown> => {
    const index = Number(query["continue"] ?? "0");
    const next = index + 1 < nodes.length ? { continue: String(index + 1) } : {};
    return Promise.resolve({ metadata: next, items: [nodes[index]] });
  },
};
const gibibyte = 2 ** 30;
const ask = (memory: number, ...claims: readonly string[]): Promise<string | undefined> =>
  createPlacement(client).problemOf({ cpu: 1, memory: memory * gibibyte }, "team", claims);

test("all pages of nodes count, in every form in which nodes report their capacity", async () => {
  assert.equal(await ask(15), undefined);
  assert.equal(await ask(64), "no node has 64Gi of memory (the largest has 15.5Gi) for a member");
});

test("a volume that only one node reaches must find room there", async () => {
  assert.equal(await ask(1, "data-shop-0"), undefined);
  assert.equal(
    await ask(4, "data-shop-1", "data-shop-0"),
    "no node that reaches the volume of data-shop-0 has 4Gi of memory (the largest has 1.9Gi) for a member",
  );
});

test("claims that are missing, unbound, or bound to a volume that every node reaches exclude no node", async () => {
  assert.equal(await ask(4, "data-shop-1", "data-shop-2", "data-shop-3"), undefined);
});

test("nodes that are cordoned or tainted take no pods; a preference excludes no node", async () => {
  const only = (spec: unknown): Promise<string | undefined> =>
    createPlacement({
      ...client,
      get: () => Promise.resolve({ metadata: {}, items: [node("a", "16Gi", spec)] }),
    }).problemOf({ cpu: 1, memory: gibibyte }, "team", []);
  assert.equal(await only({ unschedulable: true }), "no node takes pods now");
  assert.equal(
    await only({ taints: [{ key: "a", effect: "NoSchedule" }] }),
    "no node takes pods now, as members do not tolerate a:NoSchedule",
  );
  assert.equal(await only({ taints: [{ key: "a", effect: "PreferNoSchedule" }] }), undefined);
});

test("members that must keep apart are looked at together, with the volumes that they have", async () => {
  const apart = { topologyKey: "kubernetes.io/hostname", members: 2 };
  const asked = (...claims: readonly string[]): Promise<string | undefined> =>
    createPlacement(client).problemOf({ cpu: 1, memory: gibibyte, apart }, "team", claims);
  assert.equal(await asked("data-shop-0", "data-shop-1"), undefined);
  assert.match((await asked("data-shop-0", "data-shop-0")) ?? "", /^of 2 members only 1 finds a node of its own/);
});

test("without the right to see nodes placement is not judged; any other error is one", async () => {
  const refusing = (status: number): Promise<string | undefined> =>
    createPlacement({
      ...client,
      get: () => Promise.reject(new ApiError(status, "", "no")),
    }).problemOf({ cpu: 1, memory: gibibyte }, "team", []);
  assert.equal(await refusing(403), undefined);
  await assert.rejects(refusing(500), /no/);
});

test("a PriorityClass that is not there is one, also where nodes come as they are asked for; one that may not be seen is not", async () => {
  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses/";
  const wish = { cpu: 1, memory: gibibyte, priorityClassName: "important" };
  const asked = (find: (path: string) => Promise<unknown>, nodeAutoscaling = true): Promise<string | undefined> =>
    openPlacement({ ...client, find }, { nodeAutoscaling }).problemOf(wish, "team", []);
  const problem = "there is no PriorityClass important";
  assert.equal(await asked(() => Promise.resolve(undefined)), problem);
  assert.equal(await asked(() => Promise.resolve(undefined), false), problem);
  const none = { ...client, find: () => Promise.resolve(undefined) };
  assert.equal(await createPlacement(none).problemOf(wish, "team", []), problem, "a preview of a checkout asks, too");
  const paths: string[] = [];
  const noting = (path: string): Promise<unknown> => Promise.resolve(paths.push(path));
  assert.equal(await asked(noting), undefined);
  assert.deepEqual(paths, [`${classes}important`]);
  assert.equal(await asked(() => Promise.reject(new ApiError(403, "", "no"))), undefined);
  await assert.rejects(
    asked(() => Promise.reject(new ApiError(500, "", "no"))),
    /no/,
  );
});
