import assert from "node:assert/strict";
import test from "node:test";
import { engineNames } from "../../contract/engines";
import { databaseCrd, databaseSchema } from "./crd";
import { fieldsOf } from "./reference";
import { RULES_KEY } from "./rules";
import { Schema, schemaOf } from "./schema";
import { z } from "zod";

const schema = databaseSchema();
const fields = new Map(fieldsOf(schema, "").map((field) => [field.path, field]));
const [version] = databaseCrd().spec.versions;

test("the CRD has the names, the category and the subresources that the documentation prints", () => {
  const { names, scope, group } = databaseCrd().spec;
  assert.deepEqual(
    { group, scope, ...names },
    {
      group: "example.com",
      scope: "Namespaced",
      plural: "databases",
      singular: "database",
      kind: "Database",
      listKind: "DatabaseList",
      shortNames: ["db"],
      categories: ["all"],
    },
  );
  assert.deepEqual(version?.subresources, {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.labelSelector",
    },
  });
});

test("kubectl get shows engine, version, replicas, ready and age; -o wide four more", () => {
  const columns = (priority: number): string[] =>
    (version?.additionalPrinterColumns ?? [])
      .filter((column) => (column.priority ?? 0) === priority)
      .map(({ name }) => name);
  assert.deepEqual(columns(0), ["Engine", "Version", "Replicas", "Ready", "Age"]);
  assert.deepEqual(columns(1), ["Phase", "Primary", "Endpoint", "Pending"]);
});

test("the schema has what the documentation promises: engine enum, version and storage patterns, replicas 1 to 10", () => {
  const of = (path: string): Schema | undefined => fields.get(path)?.schema;
  assert.deepEqual(of(".spec.engine")?.enum, [...engineNames]);
  assert.equal(of(".spec.version")?.pattern, "^[0-9]+\\.[0-9]+$");
  assert.equal(of(".spec.storage")?.pattern, "^[0-9]+Gi$");
  const { minimum, maximum, default: initial } = of(".spec.replicas") ?? {};
  assert.deepEqual({ minimum, maximum, initial }, { minimum: 1, maximum: 10, initial: 3 });
  assert.deepEqual(schema.properties?.["spec"]?.required, ["engine", "version"]);
});

test("every field has a text for kubectl explain", () => {
  const silent = [...fields.values()].filter(
    ({ path, schema: { description } }) => !description && !path.startsWith(".metadata"),
  );
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});

test("every string and map a person writes is bounded, so that rules stay within the API server's budget", () => {
  const unbounded = [...fields.values()].filter(({ path, schema: node }) => {
    const isOpen = node.type === "string" && !node.enum && node.maxLength === undefined;
    const isOpenMap =
      node.additionalProperties && (node.maxProperties ?? node.additionalProperties.maxLength) === undefined;
    return path.startsWith(".spec") && (isOpen || isOpenMap);
  });
  assert.deepEqual(
    unbounded.map(({ path }) => path),
    [],
  );
});

test("the schema is structural: it parses as the strict node that knows no oneOf, anyOf or $ref", () => {
  assert.doesNotThrow(() => Schema.parse(schema));
  assert.throws(() => schemaOf(z.union([z.string(), z.int()])));
});

test("every rule says what to write", () => {
  const all = [{ schema }, ...fields.values()].flatMap((field) => field.schema[RULES_KEY] ?? []);
  assert.ok(all.length >= 15, `${all.length} rules`);
  for (const { message } of all) assert.ok(message.length > 20, message);
});

test("status requires nothing, so that any part of it can be patched alone", () => {
  assert.equal(schema.properties?.["status"]?.required, undefined);
});

test("an operator newer than the CRD can write its conditions: types and reasons are open", () => {
  assert.equal(fields.get(".status.conditions[].reason")?.schema.enum, undefined);
  assert.equal(fields.get(".status.conditions[].type")?.schema.enum, undefined);
  assert.deepEqual(fields.get(".status.conditions[].status")?.schema.enum, ["True", "False", "Unknown"]);
});

test("without a webhook the stored version is served alone; with one v1beta1 is, too, and v1 stays the stored one", () => {
  const of = (conversion: "None" | "Webhook"): unknown =>
    databaseCrd(conversion).spec.versions.map(({ name, served, storage }) => ({ name, served, storage }));
  assert.deepEqual(of("None"), [{ name: "v1", served: true, storage: true }]);
  assert.deepEqual(of("Webhook"), [
    { name: "v1", served: true, storage: true },
    { name: "v1beta1", served: true, storage: false },
  ]);
  assert.equal(databaseCrd().spec.conversion, undefined);
  assert.deepEqual(databaseCrd("Webhook").spec.conversion?.webhook.clientConfig.service, {
    namespace: "database-operator-system",
    name: "database-conversion-webhook",
    path: "/convert",
    port: 443,
  });
});

test("v1beta1 is v1 but for the name of the engine: schema, required fields and columns", () => {
  const text = (of: unknown): string => JSON.stringify(of);
  const renamed = text(databaseSchema("v1beta1"))
    .replace('"dbType":{', '"engine":{')
    .replace('"required":["dbType","version"]', '"required":["engine","version"]')
    .replaceAll(/self(\.spec)?\.dbType/g, "self$1.engine")
    .replace("example.com/v1beta1", "example.com/v1");
  assert.deepEqual(JSON.parse(renamed), structuredClone(schema));
  const [, beta] = databaseCrd("Webhook").spec.versions;
  assert.equal(beta?.additionalPrinterColumns[0]?.jsonPath, ".spec.dbType");
  assert.equal(beta.additionalPrinterColumns[1]?.jsonPath, ".spec.version");
});

test("but for the spec's own, and those on versions, no rule names a field that is called differently in v1beta1", () => {
  const others = [...fields].filter(([path]) => path !== ".spec").map(([, field]) => field);
  const rules = others.flatMap((field) => field.schema[RULES_KEY] ?? []);
  for (const { rule, fieldPath = "" } of rules) assert.doesNotMatch(`${rule} ${fieldPath}`, /\.(engine|dbType)\b/);
});

test("the rules on versions name the engine as their version of the API does", () => {
  const textOf = (version: "v1" | "v1beta1"): string => JSON.stringify(databaseSchema(version)[RULES_KEY]);
  assert.match(textOf("v1"), /self\.spec\.engine == 'postgresql'/);
  assert.doesNotMatch(textOf("v1"), /dbType/);
  assert.match(textOf("v1beta1"), /self\.spec\.dbType == 'postgresql'/);
  assert.doesNotMatch(textOf("v1beta1"), /\.engine\b/);
});

test("the CRD is the same each time it is built", () => {
  assert.deepEqual(databaseCrd(), databaseCrd());
});
