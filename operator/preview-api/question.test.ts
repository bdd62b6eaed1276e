import assert from "node:assert/strict";
import test from "node:test";
import { previewResource, previewVersion } from "../../contract/resources";
import { questionIn } from "./question";

const asking = (assume: unknown): string =>
  JSON.stringify({
    ...{ apiVersion: `${previewResource.group}/${previewVersion}`, kind: previewResource.kind },
    spec: {
      assume,
      database: { apiVersion: "example.com/v1", kind: "Database", metadata: { name: "shop" }, spec: {} },
    },
  });

test("what is to be assumed is a part of the question", () => {
  const assume = {
    catalogue: { postgresql: { "17.7": { image: "next" } } },
    configMaps: { tuning: { work_mem: "8MB" } },
  };
  assert.deepEqual(questionIn(asking(assume), "team").assumed, assume);
  assert.equal(questionIn(asking(undefined), "team").assumed, undefined);
});

for (const [what, assume, problem] of [
  ["a catalogue that is none", { catalogue: { postgresql: { "17.7": {} } } }, /spec\.assume\.catalogue.*image/],
  [
    "a ConfigMap with numbers",
    { configMaps: { tuning: { work_mem: 8 } } },
    /spec\.assume\.configMaps\.tuning\.work_mem/,
  ],
  ["anything else", { secrets: {} }, /secrets/],
] as const)
  test(`${what} is refused in words`, () => {
    assert.throws(() => questionIn(asking(assume), "team"), problem);
  });
