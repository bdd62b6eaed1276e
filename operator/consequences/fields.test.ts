import assert from "node:assert/strict";
import test from "node:test";
import { differencesIn, expanded } from "./fields";

test("differences are listed leaf by leaf, sorted by path", () => {
  const before = { replicas: 3, backup: { retention: 7, schedule: "0 2 * * *" }, "a/b": 1, list: [1, 2] };
  const after = { replicas: 5, backup: { retention: 7 }, "a/b": 2, list: [1, 3], config: { work_mem: "8MB" } };
  assert.deepEqual(differencesIn("spec", before, after), [
    { path: 'spec["a/b"]', kind: "change", before: 1, after: 2 },
    { path: "spec.backup.schedule", kind: "remove", before: "0 2 * * *", after: undefined },
    { path: "spec.config", kind: "add", before: undefined, after: { work_mem: "8MB" } },
    { path: "spec.list[1]", kind: "change", before: 2, after: 3 },
    { path: "spec.replicas", kind: "change", before: 3, after: 5 },
  ]);
});

test("equal values have no difference, whatever the order of their keys", () => {
  assert.deepEqual(differencesIn("spec", { a: 1, b: [{}] }, { b: [{}], a: 1 }), []);
});

test("JSON in a string is taken apart; text that only looks like it is not", () => {
  const field = (before: string, after: string): ReturnType<typeof expanded> =>
    expanded({ path: "config", kind: "change", before, after });
  assert.deepEqual(field('{"parameters":{"work_mem":"4MB"},"ttl":20}', '{"parameters":{"work_mem":"8MB"},"ttl":20}'), [
    { path: "config.parameters.work_mem", kind: "change", before: "4MB", after: "8MB" },
  ]);
  assert.equal(field("{not json", "{neither").length, 1);
  assert.equal(field("[1]", '{"a":1}')[0]?.path, "config");
});

test("what is added or removed stays whole", () => {
  const added = { path: "spec.config", kind: "add", before: undefined, after: { a: 1, b: 2 } } as const;
  assert.deepEqual(expanded(added), [added]);
});
