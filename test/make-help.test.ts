import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { run } from "../tools/host/command";

const root = join(__dirname, "..");

test("make help lists every command that the Makefile has", async () => {
  const printed = await run("make", ["help"], { cwd: root });
  const makefile = await readFile(join(root, "Makefile"), "utf8");
  const commands = [...makefile.matchAll(/^\.PHONY: (.*)$/gm)].map(([, name = ""]) => name);
  assert.ok(commands.length >= 15, commands.join());
  for (const command of commands) assert.match(printed, new RegExp(`^ +${command} `, "m"));
});
