// Whether volumes outlive their claims, by their StorageClass.
import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "./client";
import { createVolumes } from "./volumes";

const classes: Readonly<Record<string, object>> = {
  keeping: { reclaimPolicy: "Retain" },
  usual: { reclaimPolicy: "Delete" },
  silent: {},
};
const claims: Readonly<Record<string, object>> = {
  "data-shop-0": { spec: { storageClassName: "keeping" } },
  "data-static-0": { spec: { storageClassName: "" } },
};

test("volumes of a class with reclaimPolicy Retain are kept, and what does not change is not asked again", async () => {
  const asked: string[] = [];
  const volumes = createVolumes({
    find: (path) => {
      asked.push(path);
      const name = path.split("/").at(-1) ?? "";
      return Promise.resolve(path.includes("storageclasses") ? classes[name] : claims[name]);
    },
  });
  const isKept = (claim: string, storageClass?: string): Promise<boolean> =>
    volumes.isKept({ namespace: "team", claim, storageClass });
  assert.equal(await isKept("data-new-0", "keeping"), true);
  assert.equal(await isKept("data-new-0", "usual"), false);
  assert.equal(await isKept("data-new-0", "silent"), false);
  assert.equal(await isKept("data-new-0", "missing"), false);
  assert.equal(await isKept("data-new-0"), false, "the default class is known by the claim");
  assert.equal(await isKept("data-static-0"), false);
  assert.equal(await isKept("data-shop-0"), true);
  const before = asked.length;
  assert.equal(await isKept("data-shop-0"), true);
  assert.equal(asked.length, before);
});

test("who may not read StorageClasses previews what happens where volumes go", async () => {
  const volumes = createVolumes({
    find: () => Promise.reject(new ApiError(403, "Forbidden", "storageclasses is forbidden")),
  });
  assert.equal(await volumes.isKept({ namespace: "team", claim: "data-shop-0", storageClass: "keeping" }), false);
});
