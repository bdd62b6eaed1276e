import assert from "node:assert/strict";
import test from "node:test";
import { help, parseArguments } from "./arguments";

test("a file alone asks for a preview of an apply", () => {
  assert.deepEqual(parseArguments(["db.yaml"]), {
    kind: "preview",
    asked: {
      files: ["db.yaml"],
      namespace: undefined,
      serverSide: false,
      remove: false,
      refresh: false,
      output: "text",
    },
  });
});

test("every option of the help is understood", () => {
  const parsed = parseArguments(["--delete", "--refresh", "--server-side", "-n", "team", "-o", "json", "a.yaml", "-"]);
  assert.deepEqual(parsed, {
    kind: "preview",
    asked: { files: ["a.yaml", "-"], namespace: "team", serverSide: true, remove: true, refresh: true, output: "json" },
  });
  const named = [...help.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(named)].sort(), ["delete", "help", "namespace", "output", "refresh", "server-side"]);
});

test("help wins, and needs no file", () => {
  assert.equal(parseArguments(["--refresh", "-h"]).kind, "help");
});

for (const [what, args, message] of [
  ["no file", [], /name a file/],
  ["an empty file name", ["--", ""], /name a file/],
  ["an unknown option", ["--force", "db.yaml"], /--force/],
  ["another format", ["db.yaml", "-o", "yaml"], /write text or json/],
  ["an option without its value", ["db.yaml", "-n"], /-n/],
] as const) {
  test(`${what} is reported in words`, () => {
    const parsed = parseArguments(args);
    assert.equal(parsed.kind, "wrong");
    assert.match(parsed.message, message);
  });
}
