import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { keep, marksText, restore } from "./kept";

const text = checkpointOf("StatefulSet shop", "Service shop");

test("a checkpoint is the same after it was kept and restored, and so are its marks", async () => {
  const kept = await keep(text, "team.shop");
  const restored = restore(kept.packed, marksText(kept, "team.shop"), "team.shop");
  assert.equal(restored.text(), text);
  assert.deepEqual([...(restored.marks ?? [])], [...(kept.marks ?? [])]);
  assert.deepEqual([...(kept.marks?.keys() ?? [])], ["StatefulSet shop", "Service shop"]);
});

test("marks of another checkpoint do not count: they are computed again", async () => {
  const [kept, other] = [await keep(text, "team.shop"), await keep(checkpointOf("Service shop"), "team.shop")];
  for (const marks of [undefined, "", "{}", marksText(other, "team.shop")]) {
    const restored = restore(kept.packed, marks, "team.shop");
    assert.deepEqual([...(restored.marks?.keys() ?? [])], ["StatefulSet shop", "Service shop"]);
  }
});

test("a checkpoint of another stack cannot be read, even with its own marks beside it", async () => {
  const kept = await keep(text, "team.shop");
  assert.equal(restore(kept.packed, marksText(kept, "team.shop"), "team.till").marks, undefined);
});

test("a damaged checkpoint is empty, and has no marks", async () => {
  const { packed } = await keep(text, "team.shop");
  const damaged = restore(packed.subarray(0, packed.length / 2), undefined, "team.shop");
  assert.equal(damaged.text(), "");
  assert.equal(damaged.marks, undefined);
  assert.equal(marksText(damaged, "team.shop"), undefined);
});
