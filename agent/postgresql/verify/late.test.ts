import assert from "node:assert/strict";
import test from "node:test";
import { ArrivedLate } from "../restore/hole";
import { lateIn, onceMoreWhereLate } from "./late";

/** What happens where the attempts end so, in their order. */
async function happens(...ends: readonly (Error | undefined)[]): Promise<readonly string[]> {
  const [left, happened] = [[...ends], new Array<string>()];
  const restore = (isLast: boolean): Promise<ArrivedLate | undefined> => {
    happened.push("restored");
    const end = left.shift();
    return lateIn(end === undefined ? Promise.resolve() : Promise.reject(end), isLast);
  };
  const between = (late: ArrivedLate): Promise<void> => {
    happened.push(late.message);
    return Promise.resolve();
  };
  await onceMoreWhereLate(restore, between).catch((error: unknown) => happened.push(String(error)));
  return happened;
}

test("where WAL was late a backup is restored once more, and no third time", async () => {
  const late = new ArrivedLate("late");
  assert.deepEqual(await happens(undefined), ["restored"]);
  assert.deepEqual(await happens(late, undefined), ["restored", "late", "restored"]);
  assert.deepEqual(await happens(late, late), ["restored", "late", "restored", "Error: late"]);
  assert.deepEqual(await happens(new Error("broken")), ["restored", "Error: broken"]);
});
