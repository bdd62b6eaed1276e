import assert from "node:assert/strict";
import test from "node:test";
import { historyFilesOf } from "./history";

const revision = {
  revision: 2,
  at: "2026-01-01T00:00:10.500Z",
  seconds: 3.2,
  digest: "d",
  summary: "1 created, 2 updated, 19 unchanged",
  by: "kubectl",
};

test("a revision is an update in Pulumi's own words", () => {
  const [file] = historyFilesOf("team.shop", [revision]);
  assert.equal(file?.name, "team.shop-1767225610500000000.history.json");
  assert.deepEqual(JSON.parse(file.text), {
    kind: "update",
    startTime: 1767225607,
    message: "1 created, 2 updated, 19 unchanged, by kubectl",
    environment: {},
    config: {},
    version: 2,
    result: "succeeded",
    endTime: 1767225610,
    resourceChanges: { create: 1, update: 2, same: 19 },
  });
});

test("restored children and an unknown author are marked as such", () => {
  const repaired = { ...revision, by: "", summary: "restored: Service shop", putBack: ["Service shop was deleted"] };
  const [file] = historyFilesOf("team.shop", [repaired]);
  assert.match(file?.text ?? "", /"message":"restored: Service shop \(Service shop was deleted\)"/);
});

test("why members were restarted is shown", () => {
  const [file] = historyFilesOf("team.shop", [{ ...revision, restarts: "image db:1 → db:2" }]);
  assert.match(file?.text ?? "", /unchanged, by kubectl; members restart: image db:1 → db:2"/);
});

test("Pulumi sorts entries by the names of their files: later ones come later", () => {
  const earlier = { ...revision, revision: 1, at: "2026-01-01T00:00:09.999Z" };
  const names = historyFilesOf("s", [revision, earlier]).map(({ name }) => name);
  assert.deepEqual([...names].sort(), [names[1], names[0]]);
});
