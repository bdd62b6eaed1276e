import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { groupNames, wholeFilesOf } from "./groups";
import type { Note } from "./notes";
import { filesInFull, filesInTurn } from "./rotating-files";

const [own, other] = ["test/cluster/linters.test.ts", "test/cluster/api.test.ts"];
const tests = (): number => 6;

test("a file that belongs to a group runs where the group is in force, and the others always do", () => {
  assert.deepEqual(filesInTurn([own, other], "linters", tests).taken, [own, other]);
  assert.deepEqual(filesInTurn([own, other], undefined, tests).taken, [own, other]);
  assert.deepEqual(filesInTurn([own, other], "cut-off", tests).taken, [other]);
});

test("what is left out is told with its tests, and what runs as well", () => {
  const note = { kind: "rotating", file: own, group: "linters", tests: 6 };
  assert.deepEqual(filesInTurn([own, other], "", tests).notes, [{ ...note, isHere: false }]);
  assert.deepEqual(filesInTurn([own], "linters", tests).notes, [{ ...note, isHere: true }]);
});

test("a file of which a group was left out was not run in full", () => {
  const note = (file: string, isHere: boolean): Note => ({
    ...{ kind: "rotating", group: "linters" },
    file,
    tests: 6,
    isHere,
  });
  const phase: Note = { kind: "phase", file: other, name: "images", ms: 1 };
  assert.deepEqual(filesInFull([own, other], [note(own, true), note(own, false), note(other, true), phase]), [other]);
  assert.deepEqual(filesInFull([own, other], []), [own, other]);
});

test("each whole file of a group exists, and belongs to no other", () => {
  const files = groupNames.flatMap(wholeFilesOf);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(__dirname, "../..", file))),
    [],
  );
  assert.equal(new Set(files).size, files.length);
});
