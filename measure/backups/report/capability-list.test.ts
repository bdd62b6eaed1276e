import assert from "node:assert/strict";
import test from "node:test";
import { everyStory, story } from "../acceptance/case";
import { capabilityList } from "./capability-list";

const nothing = { rotation: {}, proofs: new Map(), steps: [] };
const passed = { restore: { commit: "8a686c2160771334", date: "2026-11-25T07:20:27Z", content: "x" } };
const heldBy = [story("restore", "a test"), everyStory("mysql", "another test")];

const boxes = (rotation: typeof passed | Record<string, never>): string[] =>
  capabilityList([{ box: "It restores.", heldBy, otherwise: "by hand" }], { ...nothing, rotation }).slice(-3);

test("a box is ticked once all that holds it has passed, and each of that is named", () => {
  assert.deepEqual(boxes(passed), [
    "- [x] **It restores.** Otherwise here: by hand.",
    "  - `test/e2e/stories/restore.ts`: “a test”: passed; 2026-11-25, 8a686c2",
    "  - `test/e2e/stories/mysql.ts`: “another test”: each run",
  ]);
});

test("a box of which a part has not been run is open", () => {
  assert.match(boxes({})[0] ?? "", /^- \[ \] /);
});
