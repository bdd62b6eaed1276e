import assert from "node:assert/strict";
import test from "node:test";
import { newestOf, problemOf, type Found } from "./decide";

const found: Found = {
  label: "orders-20261121T020003Z",
  labels: [".lock", "orders-20261120T020003Z", "orders-20261121T020003Z"],
  unfit: undefined,
  bytes: 1024 ** 3,
  free: 2 * 1024 ** 3,
  margin: 64 * 1024 ** 2,
};

test("a backup that is there, that the server can have, and that fits is restored", () => {
  assert.equal(problemOf(found), undefined);
});

for (const [some, problem] of [
  [{ label: "../orders-20261121T020003Z" }, /no label/],
  [{ label: ".partial-orders-20261121T020003Z" }, /no label/],
  [{ label: "orders-20261119T020003Z" }, /has no orders-20261119T020003Z/],
  [{ unfit: "it is of another server" }, /^it is of another server$/],
  [
    { free: 1024 ** 3 },
    /takes up 1024 MiB, the server 64 MiB beside it, and the data volume has 1024 MiB free: write a larger storage/,
  ],
  [{ margin: 1024 ** 3 + 1 }, /write a larger storage/],
] as const) {
  test(`a restore with ${JSON.stringify(some)} is refused: ${problem.source}`, () => {
    assert.match(problemOf({ ...found, ...some }) ?? "", problem);
  });
}

test("of a volume the newest backup is taken, whatever else is on it", () => {
  const names = [
    ...[".lock", ".partial-orders-20261122T020003Z", "lost+found", "orders-20261121T020003Z"],
    ...["orders-20261120T020003Z", "orders"],
  ];
  assert.deepEqual(newestOf(names), { label: "orders-20261121T020003Z" });
});

test("without a backup, or with those of several Databases, none is taken, and it is said what to write", () => {
  const problem = (names: readonly string[]): string => {
    const found = newestOf(names);
    return "problem" in found ? found.problem : found.label;
  };
  assert.match(problem([".lock"]), /has no backup/);
  assert.match(
    problem(["a-20261121T020003Z", "b-20261122T020003Z", "a-20261120T020003Z"]),
    /several Databases, of which the newest are a-20261121T020003Z, b-20261122T020003Z: write one as spec\.restore\.volume\.label/,
  );
});
