import assert from "node:assert/strict";
import test from "node:test";
import { separationProblem } from "./apart";
import type { Expression, PodWish, Toleration } from "../domain/pod-wish";
import type { NodeOffer, Taint } from "./nodes";
import { placementProblem, type PinnedVolume } from "./placement";

const gibibyte = 2 ** 30;
const node = (name: string, some: Partial<NodeOffer> = {}): NodeOffer => ({
  ...{ name, labels: { "kubernetes.io/hostname": name }, cpu: 4, memory: 16 * gibibyte, isOpen: true },
  ...{ taints: [], ...some },
});
const small: PodWish = { cpu: 1, memory: gibibyte };

/** One page for each list; counts how many were read. */
function pagesOf(...lists: readonly (readonly NodeOffer[])[]): {
  pages: AsyncIterable<readonly NodeOffer[]>;
  read: () => number;
} {
  let count = 0;
  async function* pages(): AsyncIterable<readonly NodeOffer[]> {
    for (const list of lists) {
      count += 1;
      yield await Promise.resolve(list);
    }
  }
  return { pages: pages(), read: () => count };
}

const problem = (wanted: PodWish, ...nodes: readonly NodeOffer[]): Promise<string | undefined> =>
  placementProblem(wanted, pagesOf(nodes).pages);

test("one node with room is enough, and no more nodes are read", async () => {
  const { pages, read } = pagesOf([node("a", { isOpen: false }), node("b")], [node("c")]);
  assert.equal(await placementProblem(small, pages), undefined);
  assert.equal(read(), 1);
});

test("what is lacking is named, with the most that a node has", async () => {
  assert.equal(
    await problem({ cpu: 1, memory: 64 * gibibyte }, node("a"), node("b", { memory: 15.5 * gibibyte })),
    "no node has 64Gi of memory (the largest has 16Gi) for a member",
  );
  assert.equal(
    await problem({ cpu: 8, memory: 64 * gibibyte }, node("a")),
    "no node has 64Gi of memory (the largest has 16Gi) and 8 CPUs (the largest has 4) for a member",
  );
  const uneven = [node("a", { cpu: 16, memory: gibibyte }), node("b")];
  assert.equal(
    await problem({ cpu: 8, memory: 8 * gibibyte }, ...uneven),
    "no node has 8Gi of memory and 8 CPUs together for a member",
  );
});

test("nodes that take no pods do not count", async () => {
  assert.equal(await problem(small, node("a", { isOpen: false })), "no node takes pods now");
  assert.equal(await problem(small), "no node takes pods now");
});

const expression = (operator: string, key: string, ...values: string[]): Expression => ({ key, operator, values });
const zoned = [
  node("a", { labels: { zone: "east", disks: "2" }, memory: gibibyte / 2 }),
  node("b", { labels: { zone: "west", size: "2.4", none: "" } }),
];
for (const [what, term, reached] of [
  ["in a zone with a large node", [expression("In", "zone", "west")], true],
  ["in a zone with a small node alone", [expression("In", "zone", "east", "north")], false],
  ["not in the zone of the large node", [expression("NotIn", "zone", "west")], false],
  ["where a label is", [expression("Exists", "disks")], false],
  ["where a label is not", [expression("DoesNotExist", "disks")], true],
  ["with more than a number", [expression("Gt", "disks", "1")], false],
  ["with less than a number", [expression("Lt", "disks", "1")], false],
  ["with more than a number, which a label is not", [expression("Gt", "size", "1")], false],
  ["with less than a number, which an empty label is not", [expression("Lt", "none", "1")], false],
  ["by two expressions of one term", [expression("In", "zone", "west"), expression("Exists", "disks")], false],
] as const) {
  test(`a volume ${what} ${reached ? "finds a node" : "finds none"}`, async () => {
    const volume = { claim: "data-shop-0", terms: [term] };
    const found = await placementProblem(small, pagesOf(zoned).pages, volume);
    if (reached) assert.equal(found, undefined);
    else assert.match(found ?? "", /^no node that reaches the volume of data-shop-0 (has 1Gi of memory|takes pods)/);
  });
}

const taint = (key: string, value = "", effect = "NoSchedule"): Taint => ({ key, value, effect });
for (const [what, tolerations, told] of [
  ["nothing", [], "dedicated=db:NoSchedule"],
  ["another key", [{ key: "gpu", operator: "Exists" }], "dedicated=db:NoSchedule"],
  ["another value", [{ key: "dedicated", operator: "Equal", value: "web" }], "dedicated=db:NoSchedule"],
  ["another effect", [{ key: "dedicated", operator: "Exists", effect: "NoExecute" }], "dedicated=db:NoSchedule"],
  ["the key", [{ key: "dedicated", operator: "Exists" }], undefined],
  ["key and value", [{ key: "dedicated", value: "db" }], undefined],
  ["key, value and effect", [{ key: "dedicated", operator: "Equal", value: "db", effect: "NoSchedule" }], undefined],
  ["everything", [{ operator: "Exists" }], undefined],
] as const satisfies readonly (readonly [string, readonly Toleration[], string | undefined])[]) {
  test(`a taint keeps members away that tolerate ${what}: ${told === undefined ? "no" : "yes"}`, async () => {
    const found = await problem({ ...small, tolerations }, node("a", { taints: [taint("dedicated", "db")] }));
    assert.equal(found, told && `no node takes pods now, as members do not tolerate ${told}`);
  });
}

const briefly: Toleration = { key: "gone", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 };
const cordon: Toleration = { key: "node.kubernetes.io/unschedulable", operator: "Exists" };
for (const [what, tolerations, some, told] of [
  ["a taint for a while only", [briefly], { taints: [taint("gone", "", "NoExecute")] }, "gone:NoExecute"],
  ["that a node is cordoned", [cordon], { isOpen: false }, undefined],
] as const) {
  test(`members that tolerate ${what} ${told === undefined ? "go there" : "would be evicted again"}`, async () => {
    const found = await problem({ ...small, tolerations }, node("a", some));
    assert.equal(found, told && `no node takes pods now, as members do not tolerate ${told}`);
  });
}

const inWest: PodWish = { ...small, terms: [[expression("In", "zone", "west")]] };
for (const [what, wanted, nodes, told] of [
  ["a label", { ...small, nodeSelector: { disk: "ssd" } }, [node("a", { labels: { disk: "ssd" } })], undefined],
  ["another value", { ...small, nodeSelector: { disk: "ssd" } }, [node("a")], "no node has the label disk=ssd"],
  [
    "one of two labels",
    { ...small, nodeSelector: { disk: "ssd", zone: "a" } },
    [node("a", { labels: { disk: "ssd" } })],
    "no node has the labels disk=ssd, zone=a",
  ],
  ["an expression", inWest, [node("a", { labels: { zone: "west" } })], undefined],
  ["not the expression", inWest, [node("a")], "no node meets spec.placement.nodeAffinity"],
  [
    "a label, and too little room",
    { ...small, memory: 64 * gibibyte, nodeSelector: { zone: "west" } },
    [node("a", { labels: { zone: "west" } }), node("b", { memory: 128 * gibibyte })],
    "no node with the label zone=west has 64Gi of memory (the largest has 16Gi) for a member",
  ],
  [
    "a label, and a taint",
    { ...small, nodeSelector: { zone: "west" } },
    [node("a", { labels: { zone: "west" }, taints: [taint("gone", "", "NoExecute")] }), node("b")],
    "no node with the label zone=west takes pods now, as members do not tolerate gone:NoExecute",
  ],
] as const satisfies readonly (readonly [string, PodWish, readonly NodeOffer[], string | undefined])[]) {
  test(`members that choose their nodes find one with ${what}: ${told ?? "yes"}`, async () => {
    assert.equal(await problem(wanted, ...nodes), told);
  });
}

test("a volume where the chosen nodes are not is named", async () => {
  const volume = { claim: "data-shop-0", terms: [[expression("In", "zone", "east")]] };
  const nodes = [node("a", { labels: { zone: "east" } }), node("b", { labels: { disk: "ssd" } })];
  assert.equal(
    await placementProblem({ ...small, nodeSelector: { disk: "ssd" } }, pagesOf(nodes).pages, volume),
    "no node that reaches the volume of data-shop-0 has the label disk=ssd",
  );
});

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";
const three = ["a", "b", "c"].map((name) => node(name));
const ofZones = (...zones: string[]): NodeOffer[] =>
  zones.map((name, index) => node(`n${index}`, { labels: { [zone]: name } }));
const on = (name: string): PinnedVolume => ({ claim: "data", terms: [[expression("In", hostname, name)]] });

for (const [what, { members, key = hostname, nodes = three, volumes = [] }, told] of [
  ["three members on three nodes", { members: 3 }, undefined],
  ["four members on three nodes", { members: 4 }, "of 4 members only 3 find a node of its own"],
  ["three members in two zones", { members: 3, key: zone, nodes: ofZones("x", "y", "y") }, "of 3 members only 2 find"],
  ["nodes that are in no zone", { members: 3, key: zone }, undefined],
  ["a volume on each node", { members: 3, volumes: ["a", "c", "b"].map(on) }, undefined],
  ["two volumes on one node", { members: 2, volumes: ["a", "a"].map(on) }, "of 2 members only 1 finds a node"],
  ["a volume on the node that the first would take", { members: 3, volumes: [undefined, on("a"), on("b")] }, undefined],
  ["a node that takes no pods", { members: 3, nodes: [...three.slice(1), node("a", { isOpen: false })] }, "only 2"],
  ["another label", { members: 2, key: "rack", nodes: [node("a", { labels: { rack: "1" } })] }, "place by rack"],
] as const satisfies readonly (readonly [
  string,
  {
    members: number;
    key?: string;
    nodes?: readonly NodeOffer[];
    volumes?: readonly (PinnedVolume | undefined)[];
  },
  string | undefined,
])[]) {
  test(`members that must keep apart, ${what}: ${told ?? "all find a place"}`, () => {
    const found = separationProblem({ ...small, apart: { topologyKey: key, members } }, nodes, volumes);
    if (told === undefined) assert.equal(found, undefined);
    else assert.ok(found?.includes(told), found);
  });
}

test("members that need not keep apart all fit on one node", () => {
  assert.equal(separationProblem(small, [node("a")], []), undefined);
});
