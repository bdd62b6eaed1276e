import assert from "node:assert/strict";
import test from "node:test";
import { fakeCluster } from "../test/fakes/plugin/cluster";
import { billing, everything } from "../test/fakes/plugin/shop";
import { runPlugin } from "../test/fakes/plugin/world";
import { verbs } from "./verbs";

const namespaces = ["bank", "shop"].map((name) => ({ kind: "Namespace", metadata: { name, namespace: "" } }));
const cluster = fakeCluster({ objects: [...everything, billing, ...namespaces] });

/** Proposals without their texts, and the directive. */
async function proposed(words: readonly string[], given = cluster): Promise<string[]> {
  const { out, err, code } = await runPlugin(["__complete", ...words], { cluster: given });
  assert.deepEqual([err, code], ["", 0]);
  return out
    .trim()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}

const cases: readonly (readonly [words: readonly string[], proposals: readonly string[]])[] = [
  [[""], [...verbs.map(({ name }) => name), ":4"]],
  [["w"], ["why", "wait", ":4"]],
  [
    ["status", ""],
    ["orders", "cart", ":4"],
  ],
  [
    ["status", "o"],
    ["orders", ":4"],
  ],
  [
    ["status", "-n", "bank", ""],
    ["ledger", ":4"],
  ],
  [
    ["status", "--namespace=bank", ""],
    ["ledger", ":4"],
  ],
  [["status", "orders", ""], [":4"]],
  [
    ["status", "-n", ""],
    ["bank", "shop", ":4"],
  ],
  [
    ["status", "--namespace=b"],
    ["--namespace=bank", ":4"],
  ],
  [
    ["status", "--context", "w"],
    ["work", ":4"],
  ],
  [
    ["status", "-o", ""],
    ["wide", "json", "yaml", "name", ":4"],
  ],
  [
    ["wait", "--for="],
    ["--for=ready", "--for=deleted", ":4"],
  ],
  [
    ["wait", "orders", "--t"],
    ["--timeout", ":4"],
  ],
  [
    ["approve", "-n", "finance", ""],
    ["billing", ":4"],
  ],
  [
    ["approve", "billing", "-n", "finance", "--plan="],
    ["--plan=7f3c9a51d0e2", ":4"],
  ],
  [
    ["approve", "billing", "--namespace", "finance", "--plan", "7f"],
    ["7f3c9a51d0e2", ":4"],
  ],
  [["approve", "orders", "--plan", ""], [":4"]],
  [["preview", "-f", "or"], [":0"]],
  [["preview", ""], [":4"]],
  [
    ["status", "--no-headers", "o"],
    ["orders", ":4"],
  ],
  [["nonsense", ""], [":4"]],
];
for (const [words, proposals] of cases) {
  test(`after "${words.join(" ")}" it proposes ${proposals.slice(0, 3).join(" ")}`, async () => {
    assert.deepEqual(await proposed(words), proposals);
  });
}

test("where the cluster says no, there is no proposal and no error", async () => {
  assert.deepEqual(await proposed(["status", ""], fakeCluster({ objects: [], forbidden: ["databases"] })), [":4"]);
});

test("the program that kubectl looks for asks the plugin", async () => {
  const { out } = await runPlugin("completion");
  assert.match(out, /^#!\/bin\/sh\n/);
  assert.match(out, /\nexec kubectl database-operator __complete "\$@"\n$/);
});
