import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { deploymentOf } from "./deployment";
import { validationOf, webhookServiceOf } from "./webhooks";
import { operatorDeployment } from "../test/fakes/operator-deployment";

const Validation = z.object({
  webhooks: z.tuple([
    z.object({
      failurePolicy: z.literal("Ignore"),
      sideEffects: z.literal("None"),
      timeoutSeconds: z.number().max(5),
      rules: z.tuple([
        z.object({
          resources: z.tuple([z.literal("databases")]),
          operations: z.tuple([z.literal("CREATE"), z.literal("UPDATE")]),
        }),
      ]),
    }),
  ]),
});

test("a dead webhook blocks nothing: it is called for new and changed Databases, and may be missing", () => {
  assert.doesNotThrow(() => Validation.parse(validationOf({ namespace: "a", watchNamespaces: [] })));
});

test("with watchNamespaces the webhook is called only for Databases of these", () => {
  assert.ok(!JSON.stringify(validationOf({ namespace: "a", watchNamespaces: [] })).includes("namespaceSelector"));
  const narrow = JSON.stringify(validationOf({ namespace: "a", watchNamespaces: ["bank", "shop"] }));
  const expression = '{"key":"kubernetes.io/metadata.name","operator":"In","values":["bank","shop"]}';
  assert.ok(narrow.includes(`"namespaceSelector":{"matchExpressions":[${expression}]}`), narrow);
});

test("the port of the webhooks is the same in Service and pod", () => {
  const text = JSON.stringify(deploymentOf(operatorDeployment));
  assert.match(text, /\{"name":"DATABASE_OPERATOR_WEBHOOK_PORT","value":"9443"\}/);
  assert.match(text, /\{"name":"webhook","containerPort":9443\}/);
  assert.match(JSON.stringify(webhookServiceOf({ namespace: "a" })), /"targetPort":"webhook"/);
});
