import assert from "node:assert/strict";
import { join } from "node:path";
import test, { before } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { operatorDeployment } from "../test/fakes/operator-deployment";
import { settingsOf } from "./config";
import { deploymentOf } from "./deployment";
import { Operator } from "./operator";
import { apiServiceOf } from "./preview-api";

const registered: string[] = [];

before(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.push(`${type.split(":").at(-1) ?? ""} ${name}`);
      return { id: name, state: inputs as Record<string, unknown> };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  });
});

/** What the platform registers for these settings. */
async function platform(raw: Parameters<typeof settingsOf>[0]): Promise<readonly string[]> {
  registered.length = 0;
  const created: pulumi.Resource[] = [];
  const collect: pulumi.ResourceTransformation = ({ resource }) => {
    created.push(resource);
    return undefined;
  };
  new Operator("operator", settingsOf(raw, join(__dirname, "..")), { transformations: [collect] });
  await new Promise((resolve) => pulumi.all(created.map(({ urn }) => urn)).apply(resolve));
  return [...registered];
}

const ofPreviews = [
  "APIService v1alpha1.preview.example.com",
  "ClusterRole database-operator-preview-api",
  "ClusterRole database-operator-previews",
  "ClusterRoleBinding database-operator-preview-api",
  "ClusterRoleBinding database-operator-previews",
  "PreviewApi database-operator-preview-api",
  "RoleBinding database-operator-preview-api",
];

test("previews are served where that is set: then there is an APIService, and who may ask is bound", async () => {
  const image = "registry.example.com/operator:1";
  const without = await platform({ image });
  const beyond = (await platform({ image, previewApi: true })).filter((resource) => !without.includes(resource));
  assert.deepEqual(beyond.sort(), ofPreviews);
  const variable = "DATABASE_OPERATOR_PREVIEW_API";
  assert.ok(!JSON.stringify(deploymentOf(operatorDeployment)).includes(variable));
  assert.ok(JSON.stringify(deploymentOf({ ...operatorDeployment, previewApi: true })).includes(variable));
});

test("where the operator runs elsewhere, the API server could not ask it for previews", async () => {
  assert.deepEqual(await platform({ previewApi: true }), await platform({}));
});

test("the API server asks the operators by the Service of the webhooks, and believes no certificate before it is told which", () => {
  const text = JSON.stringify(apiServiceOf({ namespace: "a" }));
  assert.match(text, /"service":\{"namespace":"a","name":"database-conversion-webhook","port":443\}/);
  assert.doesNotMatch(text, /insecureSkipTLSVerify/);
});
