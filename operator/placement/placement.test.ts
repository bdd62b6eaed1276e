import assert from "node:assert/strict";
import test from "node:test";
import { placementProblem, type Expression, type NodeOffer } from "./placement";
import type { Requests } from "../domain/engines";

const gibibyte = 2 ** 30;
const node = (name: string, some: Partial<NodeOffer> = {}): NodeOffer => ({
  ...{ name, labels: { "kubernetes.io/hostname": name }, cpu: 4, memory: 16 * gibibyte, isOpen: true },
  ...some,
});
const small: Requests = { cpu: 1, memory: gibibyte };

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

const problem = (wanted: Requests, ...nodes: readonly NodeOffer[]): Promise<string | undefined> =>
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
  node("b", { labels: { zone: "west" } }),
];
for (const [what, term, reached] of [
  ["in a zone with a large node", [expression("In", "zone", "west")], true],
  ["in a zone with a small node alone", [expression("In", "zone", "east", "north")], false],
  ["not in the zone of the large node", [expression("NotIn", "zone", "west")], false],
  ["where a label is", [expression("Exists", "disks")], false],
  ["where a label is not", [expression("DoesNotExist", "disks")], true],
  ["with more than a number", [expression("Gt", "disks", "1")], false],
  ["with less than a number", [expression("Lt", "disks", "1")], false],
  ["by two expressions of one term", [expression("In", "zone", "west"), expression("Exists", "disks")], false],
] as const) {
  test(`a volume ${what} ${reached ? "finds a node" : "finds none"}`, async () => {
    const volume = { claim: "data-shop-0", terms: [term] };
    const found = await placementProblem(small, pagesOf(zoned).pages, volume);
    if (reached) assert.equal(found, undefined);
    else assert.match(found ?? "", /^no node that reaches the volume of data-shop-0 (has 1Gi of memory|takes pods)/);
  });
}
