import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import { revisionResource } from "../../contract/resources";
import { ApiError } from "./client";
import { createRecall } from "./recall";

const template = { metadata: { creationTimestamp: null, labels: { database: "shop" } }, spec: { containers: [] } };
const revision = (number: number, some: object = {}, uid = "uid-1"): unknown => ({
  metadata: { name: `shop-${number}`, namespace: "team", ownerReferences: [{ kind: "Database", uid }] },
  spec: {
    ...{ database: "shop", revision: number, at: "2026-01-01T00:00:00Z", origin: "Spec", summary: "1 updated" },
    ...{ runSeconds: 3, changes: [], generation: number, image: `i:${number}`, release: "r", template: specOf() },
    ...some,
  },
});

const recall = (revisions: readonly unknown[] | ApiError): ReturnType<ReturnType<typeof createRecall>> =>
  createRecall({
    find: () => Promise.resolve({ spec: { template } }),
    get: (path) => {
      assert.ok(path.endsWith(`/namespaces/team/${revisionResource.plural}`));
      return revisions instanceof ApiError ? Promise.reject(revisions) : Promise.resolve({ items: revisions });
    },
  })("team/shop", "uid-1");

test("the newest change of this very Database is what runs, with the template that its members have", async () => {
  const others = [revision(9, {}, "uid-2"), revision(8, { database: "other" })];
  const found = await recall([revision(2), revision(10), ...others, revision(3)]);
  assert.ok(found !== undefined);
  assert.deepEqual([found.revision.revision, found.image, found.release], [10, "i:10", "r"]);
  assert.deepEqual(found.spec, specOf());
  assert.deepEqual(found.template, { metadata: { labels: { database: "shop" } }, spec: { containers: [] } });
});

const unknown: Readonly<Record<string, Parameters<typeof recall>>> = {
  "there is none": [[]],
  "it does not say what was carried out": [[revision(1, { template: undefined })]],
  "they may not be read": [new ApiError(403, "Forbidden", "no")],
  "the cluster does not know them": [new ApiError(404, "NotFound", "no")],
};
for (const [what, given] of Object.entries(unknown))
  test(`it is not known what runs where ${what}`, async () => {
    assert.equal(await recall(...given), undefined);
  });

test("without a StatefulSet nothing runs", async () => {
  const read = createRecall({ find: () => Promise.resolve(undefined), get: () => assert.fail("nothing else is read") });
  assert.equal(await read("team/shop", "uid-1"), undefined);
});
