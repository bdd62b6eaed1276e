import assert from "node:assert/strict";
import test from "node:test";
import { stepsTo } from "./initialize";

const steps = stepsTo({
  app: { user: "app", password: "it's \\ mine", database: "my_app" },
  monitor: { user: "monitor", password: "m" },
});
const statements = steps.flatMap((step) => step.statements);

test("a password reaches the server unchanged, and no step's name contains it", () => {
  assert.ok(statements.includes(String.raw`ALTER USER 'app'@'%' IDENTIFIED BY 'it\'s \\ mine'`));
  assert.ok(steps.every(({ what }) => !what.includes("mine")));
});

test("an account gets its own database and none whose name only looks alike", () => {
  assert.ok(statements.includes("GRANT ALL ON `my\\_app`.* TO 'app'@'%'"), statements.join("\n"));
  assert.ok(statements.every((statement) => !statement.includes("*.* TO 'app'")));
});

test("a step that was already done does not fail", () => {
  const making = statements.filter((statement) => statement.startsWith("CREATE"));
  assert.ok(making.every((statement) => statement.includes("IF NOT EXISTS")));
});
