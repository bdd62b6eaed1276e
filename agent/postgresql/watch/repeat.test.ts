import assert from "node:assert/strict";
import test from "node:test";
import { repeat } from "./repeat";

test("it is looked again after a look that failed, each time after a pause", async () => {
  const happened: string[] = [];
  const stopped = new Error("the test is over");
  const watch = {
    pauseMs: 7,
    look: () => {
      happened.push("look");
      return happened.length === 2 ? Promise.reject(new Error("no answer")) : Promise.resolve();
    },
    failed: (error: unknown) => void happened.push(String(error)),
  };
  const pause = (ms: number): Promise<void> => {
    happened.push(`${ms} ms`);
    return happened.length > 6 ? Promise.reject(stopped) : Promise.resolve();
  };
  await assert.rejects(repeat(watch, pause), stopped);
  assert.deepEqual(happened, ["7 ms", "look", "Error: no answer", "7 ms", "look", "7 ms", "look", "7 ms"].slice(0, 8));
});
