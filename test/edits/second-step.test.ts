import assert from "node:assert/strict";
import test from "node:test";
import { fieldChange, image, stepOf } from "../fakes/previewed";
import { objectDifferences, type ObjectChange } from "./objects";
import { withoutSecondStep } from "./second-step";

const imagePath = "spec.template.spec.containers.postgresql.image";
const pgHba = "metadata.annotations.config.postgresql.pg_hba.2";
const sslMode = "spec.template.spec.containers.postgresql.env.PATRONI_REPLICATION_SSLMODE.value";
const update = (child: string, ...paths: readonly string[]): ObjectChange => ({
  ...{ child, operation: "update" },
  fields: paths.map((path) => ({ path, before: "i:1", after: "i:2" })),
});
const left = (change: ObjectChange): ObjectChange | undefined => withoutSecondStep(change, "shop");

test("what the second step of TLS does is no difference, and all else is", () => {
  for (const change of [
    update("ConfigMap shop-config", pgHba),
    update("ConfigMap shop-config", "data.member.json.parameters.require_secure_transport.value"),
    update("Secret shop-ca", "data.sslmode"),
    update("Secret shop-credentials", "data.uri"),
    update("StatefulSet shop", sslMode, "spec.template.spec.volumes.tls.secret.secretName"),
    { child: "Secret shop-server-tls", operation: "delete", fields: [] } as const,
    { child: "Job shop-init", operation: "replace", fields: [] } as const,
  ])
    assert.equal(left(change), undefined);
  assert.deepEqual(left(update("StatefulSet shop", imagePath, sslMode)), update("StatefulSet shop", imagePath));
  for (const change of [
    update("StatefulSet shop", imagePath),
    update("Secret shop-credentials", "data.password"),
    { child: "Secret shop-credentials", operation: "delete", fields: [] } as const,
    { child: "Job shop-backup-final", operation: "replace", fields: [] } as const,
    { child: "Service shop-ro", operation: "update", fields: [] } as const,
  ])
    assert.deepEqual(left(change), change);
});

test("a first step that was begun and taken back is no difference", () => {
  const begun = { steps: [stepOf("Secret shop-ca", "update", [fieldChange("data.sslmode", "a", "b")])], isHeld: false };
  const seen: ObjectChange = { child: "Secret shop-ca", operation: "update", fields: [] };
  assert.deepEqual(objectDifferences([begun, { steps: [], isHeld: false }], [seen], left), []);
  assert.equal(objectDifferences([{ steps: [], isHeld: false }], [seen], left).length, 1);
});

test("with both steps seen, what a preview said of the first one is still held against them", () => {
  const said = { steps: [stepOf("StatefulSet shop", "update", [image])], isHeld: false };
  const seen = [update("StatefulSet shop", imagePath, sslMode), update("Secret shop-ca", "data.sslmode")];
  assert.deepEqual(objectDifferences([said], seen, left), []);
  assert.equal(objectDifferences([said], seen).length > 0, true);
  const another = { ...said, steps: [stepOf("StatefulSet shop", "update", [fieldChange("spec.replicas", 3, 4)])] };
  assert.match(objectDifferences([another], seen, left).join(), /predicted and not seen: spec\.replicas/);
});
