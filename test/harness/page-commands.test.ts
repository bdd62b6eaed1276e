import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksUnder } from "./page-commands";

const page = [
  ..."# Page\n## One\nText.\n```console\n$ export NS=shop FILE=a.yaml     # yours\n$ kubectl get db -n $NS".split("\n"),
  ..."$ kubectl apply -f - <<END\nmetadata: { name: $NS }\nEND\n```\n### Deeper\n```console\n$ ls | \n    wc".split(
    "\n",
  ),
  ..."```\n```yaml\na: b\n```\n## Two\n```console\n$ false\n```".split("\n"),
].join("\n");

test("the blocks of a chapter are what a reader pastes, without the prompt and the reader's own values", () => {
  const [first, second, ...others] = blocksUnder(page, "## One");
  assert.deepEqual(first?.asks, ["NS", "FILE"]);
  assert.equal(first.script, "kubectl get db -n $NS\nkubectl apply -f - <<END\nmetadata: { name: $NS }\nEND\n");
  assert.deepEqual(second, { script: "ls | \n    wc\n", asks: [] });
  assert.deepEqual(others, []);
});

test("a chapter that is not there, or has no commands, is not passed over", () => {
  assert.throws(() => blocksUnder(page, "## Three"), /no heading "## Three"/);
  assert.throws(() => blocksUnder("## Four\nNone.", "## Four"), /no commands under "## Four"/);
});
