import assert from "node:assert/strict";
import test from "node:test";
import { mergedTemplate } from "./merged-template";

const made = (server: object, start: object = {}, others: readonly object[] = []): object => ({
  metadata: { annotations: { start: JSON.stringify(start) } },
  spec: { containers: [{ name: "server", image: "a", ...server }, ...others] },
});

test("an image goes into what a former release declared, and nothing else of the present one does", () => {
  const former = made({ command: ["server"] });
  const merged = mergedTemplate(
    former,
    made({ command: ["tini", "server"] }),
    made({ image: "b", command: ["tini", "server"] }),
  );
  assert.deepEqual(merged, { template: made({ image: "b", command: ["server"] }) });
});

test("parameters go in one by one, and what goes, goes", () => {
  const merged = mergedTemplate(made({ cpu: 1 }, { a: 1, b: 1 }), made({}, { a: 1, c: 2 }), made({}, { a: 2, c: 2 }));
  assert.deepEqual(merged, { template: made({ cpu: 1 }, { a: 2, b: 1 }) });
  const without = mergedTemplate(made({ cpu: 1 }, { a: 1, b: 1 }), made({}, { a: 1 }), made({}, {}));
  assert.deepEqual(without, { template: made({ cpu: 1 }, { b: 1 }) });
});

test("a container that is added or removed is so", () => {
  const exporter = { name: "metrics", image: "m" };
  const former = made({ command: ["server"] });
  assert.deepEqual(mergedTemplate(former, made({}), made({}, {}, [exporter])), {
    template: made({ command: ["server"] }, {}, [exporter]),
  });
  const more = made({ command: ["server"] }, {}, [exporter]);
  assert.deepEqual(mergedTemplate(more, made({}, {}, [exporter]), made({})), { template: former });
});

test("what both change cannot be told apart", () => {
  assert.equal(mergedTemplate(made({ memory: "1" }), made({ memory: "2" }), made({ memory: "3" })), undefined);
  assert.equal(mergedTemplate(made({}, { a: 1 }), made({}, { a: 2 }), made({}, { a: 3 })), undefined);
  const [ours, before, after] = [["a"], ["a", "b"], ["a", "b", "c"]].map((command) => made({ command }));
  assert.equal(mergedTemplate(ours, before, after), undefined);
});

test("what is as it shall be already stays", () => {
  const half = made({ image: "b", command: ["server"] });
  assert.deepEqual(mergedTemplate(half, made({ command: [] }), made({ image: "b", command: [] })), { template: half });
});

test("lists without names are told apart in whatever order a state has their keys", () => {
  const toleration = (value: string): object => ({ key: "a", operator: "Equal", value, effect: "NoSchedule" });
  const inState: object = { effect: "NoSchedule", key: "a", operator: "Equal", value: "1" };
  const declared = (command: string, ...tolerations: readonly object[]): object => ({
    spec: { containers: [{ name: "server", command: [command] }], tolerations },
  });
  assert.deepEqual(
    mergedTemplate(
      declared("server", inState),
      declared("tini", toleration("1")),
      declared("tini", toleration("1"), toleration("2")),
    ),
    { template: declared("server", toleration("1"), toleration("2")) },
  );
});

test("a variable that comes stands before those that may use it", () => {
  const made = (...names: readonly string[]): object => ({ env: names.map((name) => ({ name, value: name })) });
  assert.deepEqual(mergedTemplate(made("OWN", "B"), made("B"), made("A", "B", "C")), {
    template: made("OWN", "A", "B", "C"),
  });
});
