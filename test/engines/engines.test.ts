// Nothing of an engine may be forgotten that no type asks for.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { settingsOf } from "../../components";
import { availableEngines } from "../../components/engines/available";
import type { Engine } from "../../components/engines/engine";
import { engineNames } from "../../contract/engines";
import { ELSEWHERE, RECIPES } from "../../tools/images/recipes";
import { samples } from "./all";

const root = join(__dirname, "../..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

for (const engine of engineNames) {
  test(`${engine} has a golden, an image, an example and a page`, () => {
    assert.ok(
      Object.keys(samples[engine].goldens).length > 1,
      "the smallest Database and the largest, in test/engines",
    );
    const images = [...RECIPES.filter(({ server }) => server?.engine === engine), ...ELSEWHERE].map(
      ({ repository }) => repository,
    );
    assert.ok(images.includes(`database-operator-${engine}`), "tools/images/recipes.ts");
    const examples = globSync("examples/*.yaml", { cwd: root }).map(textOf);
    assert.ok(
      examples.some((text) => text.includes(`\n  engine: ${engine}\n`)),
      "examples",
    );
    assert.match(textOf(`docs/databases/${engine}.md`), /^# /, "docs/databases");
  });
}

for (const engine of availableEngines) {
  test(`the agent of ${engine.name} has every program that its pods run`, () => {
    const programs = textOf(`agent/${engine.name}/programs.ts`);
    for (const command of commandsOf(engine).filter((words) => words.includes(agent))) {
      const program = command[command.indexOf(agent) + 1] ?? "";
      assert.ok(programs.includes(`"${program}":`), `agent/${engine.name}/programs.ts lacks ${program}`);
    }
  });
}

const agent = "/opt/database-agent/agent.js";

function commandsOf(engine: Engine): string[][] {
  const { version } = samples[engine.name];
  const settings = settingsOf("orders", { namespace: "shop", engine: engine.name, version, image: "image" });
  const { containers } = engine.memberPod(settings);
  return [...containers, engine.initProgram(settings), engine.backupProgram(settings)].map(({ command }) => [
    ...command,
  ]);
}
