import assert from "node:assert/strict";
import test from "node:test";
import { availableEngines } from "./available";
import { groupsByName, namesIn, parameterClasses } from "./parameter-classes";

for (const { name: engine, parameters } of availableEngines) {
  const { tables, groups, groupOf, bounds } = parameters;
  const known = new Set([...tables.values()].flatMap(Object.keys));

  test(`every parameter of ${engine} has been reviewed: it has a class and a reason`, () => {
    for (const [version, table] of tables) {
      assert.ok(Object.keys(table).length > 20);
      const open = Object.entries(table).filter(([name, kind]) => !("fixed" in kind) && groupOf(name) === undefined);
      assert.deepEqual(open, [], `in ${engine} ${version} these have no class`);
    }
  });

  test(`no parameter of ${engine} is accepted that no server has, and none has bounds that is refused anyway`, () => {
    const taken = groups.filter((group) => parameterClasses[group.class].isTaken).flatMap(namesIn);
    assert.deepEqual(
      taken.filter((name) => !name.endsWith("*") && !known.has(name)),
      [],
    );
    const idle = [...bounds.keys()].filter((name) => !taken.includes(name));
    assert.deepEqual(idle, []);
  });

  test(`each reason of ${engine} is a phrase that fits after "cannot be set: "`, () => {
    for (const { reason } of [...groups, ...bounds.values()]) {
      assert.match(reason, /^[^.].*[^.\s]$/);
      assert.doesNotMatch(reason, /\s{2}|\n/);
    }
  });
}

test("the longest name counts, and no name is in two groups", () => {
  const of = groupsByName([
    { class: "owned", reason: "all", names: "a_*" },
    { class: "losesData", reason: "some", names: "a_b_*" },
    { class: "safe", reason: "one", names: "a_b_c" },
  ]);
  assert.deepEqual(
    ["a_x", "a_b_x", "a_b_c", "b"].map((name) => of(name)?.reason),
    ["all", "some", "one", undefined],
  );
  assert.throws(
    () =>
      groupsByName([
        { class: "owned", reason: "x", names: "a b" },
        { class: "safe", reason: "y", names: "b" },
      ]),
    /b is in two groups/,
  );
});
