import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { alertGroups } from "./alerts";
import { dashboard } from "./dashboard";

const rules = alertGroups({ runbooks: "docs/runbooks.md" }).flatMap((group) => group.rules);
const runbooks = readFileSync(join(__dirname, "../../docs/runbooks.md"), "utf8");
const sections = new Map(
  runbooks
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n")[0] ?? "", section]),
);

test("every alert has its section among the runbooks, and every section an alert", () => {
  assert.deepEqual([...sections.keys()].sort(), rules.map(({ alert }) => alert).sort());
});

for (const { alert, annotations } of rules) {
  test(`the runbook of ${alert} says what it means, who is affected, how to investigate and what to do`, () => {
    const section = sections.get(alert) ?? "";
    for (const part of ["**Meaning**", "**Impact**", "**Diagnosis**", "**Mitigation**"])
      assert.ok(section.includes(part), part);
    assert.match(section, /^\$ kubectl /m);
    assert.equal(annotations.runbook_url, `docs/runbooks.md#${alert.toLowerCase()}`);
  });
}

test("how long an alert waits can be set; the others keep their own", () => {
  const [first, second] = alertGroups({ runbooks: "r", patience: { DatabaseOperatorNotLeading: "1s" } }).flatMap(
    (group) => group.rules,
  );
  assert.deepEqual([first?.for, second?.for], ["1s", "15m"]);
});

test("no panel of the dashboard covers another, and each has a query", () => {
  const taken = new Set<string>();
  for (const { gridPos, targets, title } of dashboard().panels) {
    assert.ok(targets.length > 0, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x}/${y}`), title);
        taken.add(`${x}/${y}`);
      }
    }
  }
});
