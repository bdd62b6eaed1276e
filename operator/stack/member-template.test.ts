import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import type { Desired } from "../domain/desired";
import { isRecord } from "../objects/json";
import { partOf } from "../objects/template-differences";
import { declaredTemplate } from "./member-template";

const desired: Desired = {
  owner: { name: "shop", namespace: "team", uid: "uid-1" },
  ...{ spec: specOf({}), image: "server:17", config: {}, serviceMonitors: false, keptBackups: [] },
};

test("the template of members is told without a run, as plain data", async () => {
  const template = await declaredTemplate(desired);
  assert.ok(isRecord(template));
  assert.equal(partOf(template, ["spec", "containers", "postgresql", "image"]), "server:17");
  assert.deepEqual(await declaredTemplate({ ...desired, spec: specOf({ replicas: 5 }) }), template);
  assert.notDeepEqual(await declaredTemplate({ ...desired, config: { max_connections: "7" } }), template);
});

test("where members run, and with what their images are pulled, is a part of it", async () => {
  const spec = specOf({ placement: { nodeSelector: { disk: "ssd" } }, imagePullSecrets: [{ name: "mirror" }] });
  const template = await declaredTemplate({ ...desired, spec });
  assert.deepEqual(partOf(template, ["spec", "nodeSelector"]), { disk: "ssd" });
  assert.deepEqual(partOf(template, ["spec", "imagePullSecrets", "mirror", "name"]), "mirror");
});
