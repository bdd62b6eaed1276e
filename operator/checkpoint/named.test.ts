import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { childrenIn, retain } from "./checkpoint";
import { namedIn } from "./named";

const spec = {
  serviceAccountName: "shop",
  volumes: [
    { name: "a", configMap: { name: "shop-member" } },
    { name: "b", secret: { secretName: "shop-server-tls" } },
    { name: "c", projected: { sources: [{ secret: { name: "shop-more" } }] } },
    { name: "d", emptyDir: {} },
  ],
  containers: [
    {
      env: [{ name: "P", valueFrom: { secretKeyRef: { name: "shop-credentials", key: "p" } } }],
      envFrom: [{ configMapRef: { name: "shop-env" } }],
    },
  ],
};

test("all is found that pods of a template do not start without", () => {
  assert.deepEqual([...namedIn({ spec })].sort(), [
    "ConfigMap shop-env",
    "ConfigMap shop-member",
    "Secret shop-credentials",
    "Secret shop-more",
    "Secret shop-server-tls",
    "ServiceAccount shop",
  ]);
  assert.deepEqual([...namedIn(undefined), ...namedIn("constructor")], []);
});

test("of a checkpoint only what is named stays where it is not declared", () => {
  const text = checkpointOf("ConfigMap shop-member", "Service shop");
  const marked = retain(text, namedIn({ spec }));
  const { checkpoint } = JSON.parse(marked) as {
    checkpoint: { latest: { resources: { retainOnDelete?: boolean }[] } };
  };
  assert.deepEqual(
    checkpoint.latest.resources.map(({ retainOnDelete }) => retainOnDelete),
    [true, undefined],
  );
  assert.equal(childrenIn(marked, "team.shop")?.size, 2);
  assert.equal(retain(text, new Set()), text);
});
