import assert from "node:assert/strict";
import test from "node:test";
import { intoClusters } from "./load";

test("a cluster that ends while images are loaded holds up no other one", async () => {
  const loaded = new Array<string>();
  const load = (name: string): Promise<void> => {
    if (name === "ended") return Promise.reject(new Error("no such process"));
    loaded.push(name);
    return Promise.resolve();
  };
  const ended = await intoClusters(["first", "ended", "last"], load, () => Promise.resolve(["first", "last"]));
  assert.deepEqual([loaded, ended], [["first", "last"], ["ended"]]);
});

test("one that is there, and cannot take them, is an error", async () => {
  const load = (): Promise<void> => Promise.reject(new Error("no space left on device"));
  await assert.rejects(
    intoClusters(["full"], load, () => Promise.resolve(["full"])),
    /no space left on device/,
  );
});
