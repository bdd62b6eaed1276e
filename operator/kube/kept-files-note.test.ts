import assert from "node:assert/strict";
import test from "node:test";
import { keptFilesOf } from "./kept-files-note";

test("a member says which files it keeps; what is no note says nothing", () => {
  const said = (text: string): unknown => keptFilesOf({ "database.example.com/kept-files": text });
  const note = { major: "17", kept: ["15"] };
  assert.deepEqual(said(JSON.stringify(note)), { keptFiles: note });
  for (const text of ["", "{", "[]", '{"major":"17"}', '{"major":17,"kept":[]}', '{"major":"17","kept":[15]}'])
    assert.deepEqual(said(text), {});
  assert.deepEqual(keptFilesOf({}), {});
});
