import assert from "node:assert/strict";
import test from "node:test";
import type { FieldChange } from "../domain/runner";
import { revisionAfter } from "./revisions";

const start = "database.example.com/start-parameters";

interface Made {
  readonly memory?: string;
  readonly cpu?: string;
  readonly image?: string;
  readonly parameters?: string;
  readonly exporter?: boolean;
}

/** A template as the API server keeps it. */
const templateOf = ({ memory = "1Gi", cpu, image = "i:1", parameters = "{}", exporter = false }: Made): unknown => ({
  metadata: { annotations: { [start]: parameters } },
  spec: {
    containers: [
      {
        ...{ name: "postgresql", image, terminationMessagePolicy: "File" },
        resources: { limits: { memory, ...(cpu !== undefined && { cpu }) } },
      },
      ...(exporter ? [{ name: "exporter", image: "e:1", terminationMessagePolicy: "File" }] : []),
    ],
  },
});

const place = "spec.template.spec.containers";
const change = (path: string, before: unknown, after: unknown): FieldChange => {
  const kind = before === undefined ? "add" : after === undefined ? "remove" : "change";
  return { path, kind, before, after };
};
const memoryTo = (after: string): FieldChange => change(`${place}[postgresql].resources.limits.memory`, "2Ti", after);

/** Which of `former` the template of `present` becomes; the revisions have the names of the keys. */
const led = (present: Made, former: Readonly<Record<string, Made>>, ...changes: FieldChange[]): string | undefined =>
  revisionAfter(changes, {
    template: templateOf(present),
    revisions: new Map(Object.entries(former).map(([name, made]) => [name, templateOf(made)])),
  });

const sizes = { first: {}, second: { memory: "2Ti" } };

test("a change that is reverted leads to the previous revision", () => {
  assert.equal(led({ memory: "2Ti" }, sizes, memoryTo("1Gi")), "first");
  assert.equal(led({ memory: "2Ti" }, sizes, memoryTo("2Gi")), undefined);
});

test("a quantity is the same however it is written", () => {
  assert.equal(led({ memory: "2Ti" }, sizes, memoryTo("1024Mi")), "first");
  assert.equal(led({ memory: "2Ti" }, sizes, memoryTo("2048Gi")), "second");
});

test("a previous revision that also differs elsewhere is another one", () => {
  const former = { first: { image: "i:0" }, second: { memory: "2Ti" } };
  assert.equal(led({ memory: "2Ti" }, former, memoryTo("1Gi")), undefined);
  const image = change(`${place}[postgresql].image`, "i:1", "i:0");
  assert.equal(led({ memory: "2Ti" }, former, memoryTo("1Gi"), image), "first");
  assert.equal(led({ memory: "2Ti" }, former, image), undefined);
});

test("parameters, fields that come or go, and whole containers with what the API server fills in lead back as well", () => {
  const path = `spec.template.metadata.annotations["${start}"]`;
  const former = { first: { parameters: '{"a":1}' }, second: {} };
  assert.equal(led({}, former, change(path, "{}", '{"a":1}')), "first");
  const limit = `${place}[postgresql].resources.limits.cpu`;
  assert.equal(led({ cpu: "1" }, sizes, change(limit, "1", undefined)), "first");
  assert.equal(led({}, { first: { cpu: "1" }, second: {} }, change(limit, undefined, "1")), "first");
  const container = { name: "exporter", image: "e:1" };
  const exporter = change(`${place}[exporter]`, undefined, container);
  assert.equal(led({}, { first: { exporter: true }, second: {} }, exporter), "first");
  assert.equal(led({ exporter: true }, sizes, change(`${place}[exporter]`, container, undefined)), "first");
});
