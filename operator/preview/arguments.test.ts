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
      all: false,
      catalogue: undefined,
      releasePolicy: undefined,
      output: "text",
    },
  });
});

test("every option of the help is understood", () => {
  const parsed = parseArguments(["--delete", "--refresh", "--server-side", "-n", "team", "-o", "json", "a.yaml", "-"]);
  assert.deepEqual(parsed, {
    kind: "preview",
    asked: {
      files: ["a.yaml", "-"],
      namespace: "team",
      serverSide: true,
      remove: true,
      refresh: true,
      all: false,
      catalogue: undefined,
      releasePolicy: undefined,
      output: "json",
    },
  });
  const named = [...help.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(named)].sort(), [
    "all",
    "catalogue",
    "delete",
    "help",
    "namespace",
    "output",
    "refresh",
    "release-policy",
    "server-side",
  ]);
});

test("all Databases may be previewed with another catalogue, as they are", () => {
  const parsed = parseArguments(["--all", "--catalogue", "c.json"]);
  assert.equal(parsed.kind, "preview");
  assert.deepEqual([parsed.asked.all, parsed.asked.catalogue, parsed.asked.files], [true, "c.json", []]);
});

test("help wins, and needs no file", () => {
  assert.equal(parseArguments(["--refresh", "-h"]).kind, "help");
});

for (const [what, args, message] of [
  ["no file", [], /name a file/],
  ["an empty file name", ["--", ""], /name a file/],
  ["an unknown option", ["--force", "db.yaml"], /--force/],
  ["files beside all", ["--all", "db.yaml"], /leave out files/],
  ["a deletion of all", ["--all", "--delete"], /leave out files and --delete/],
  ["a catalogue for a file", ["--catalogue", "c.json", "db.yaml"], /needs --all/],
  ["a policy for a file", ["--release-policy", "{}", "db.yaml"], /needs --all/],
  ["another format", ["db.yaml", "-o", "yaml"], /write text or json/],
  ["an option without its value", ["db.yaml", "-n"], /-n/],
] as const) {
  test(`${what} is reported in words`, () => {
    const parsed = parseArguments(args);
    assert.equal(parsed.kind, "wrong");
    assert.match(parsed.message, message);
  });
}
