import assert from "node:assert/strict";
import test from "node:test";
import { startParameters } from "../../components/member";
import { causeOf as why } from "./cause";

const member = (image: string, some: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ name: "postgresql", image: `registry/team/${image}`, resources: { limits: { memory: "512Mi" } } },
  ...some,
});
const exporter = (image: string): Record<string, unknown> => ({ name: "metrics", image: `registry/team/${image}` });

const annotationOf = (parameters: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, { value, restart: true }])),
  );

const templateOf = (containers: readonly unknown[], parameters: Readonly<Record<string, string>> = {}): unknown => ({
  metadata: { annotations: { [startParameters.annotation]: annotationOf(parameters) } },
  spec: { containers },
});

const members = [member("db:17.6"), exporter("db:17.6")];
const plain = templateOf(members);
const withParameters = (parameters: Readonly<Record<string, string>>): unknown => templateOf(members, parameters);

test("equal templates are not a cause", () => {
  assert.equal(why(plain, structuredClone(plain)), undefined);
});

test("another image is named once, however many containers have it", () => {
  assert.equal(why(plain, templateOf([member("db:17.7"), exporter("db:17.7")])), "image db:17.6 → db:17.7");
});

test("parameters are named with their values, those that were set, changed and left out", () => {
  const before = withParameters({ max_connections: "100", wal_level: "replica" });
  assert.equal(
    why(before, withParameters({ max_connections: "150", shared_buffers: "1GB" })),
    "max_connections 100 → 150, shared_buffers (default) → 1GB, wal_level replica → (default)",
  );
});

test("where pods brought no parameters before, they are not named", () => {
  const before = { ...Object(plain), metadata: { annotations: {} } } as unknown;
  assert.equal(
    why(before, withParameters({ max_connections: "150" })),
    "parameters that take effect only at a restart",
  );
});

test("what a person wrote comes before the parameters that follow from it", () => {
  const larger = templateOf([member("db:17.6", { resources: { limits: { memory: "1Gi" } } }), exporter("db:17.6")], {
    shared_buffers: "256MB",
  });
  assert.equal(
    why(withParameters({ shared_buffers: "128MB" }), larger),
    "postgresql resources.limits.memory 512Mi → 1Gi, shared_buffers 128MB → 256MB",
  );
});

test("resources and what else differs are named by their container and path", () => {
  const changed = member("db:17.6", { resources: { limits: { memory: "1Gi" } }, workingDir: "/" });
  assert.equal(
    why(plain, templateOf([exporter("db:17.6"), changed])),
    "postgresql resources.limits.memory 512Mi → 1Gi, postgresql workingDir (none) → /",
  );
});

test("a container that comes is named, and no more of it than fits", () => {
  const cause = why(templateOf([member("db:17.6")]), plain) ?? "";
  assert.match(cause, /^spec\.containers\.metrics \(none\) → \{"name":"metrics"/);
  assert.ok(cause.length < 120, cause);
});

test("of many changes the first are named, and the others counted", () => {
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`p${index}`, "1"]));
  assert.match(why(plain, withParameters(many)) ?? "", /p4 \(default\) → 1 and 3 more$/);
});

test("all of them together stay short enough to be quoted", () => {
  const long = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`parameter_number_${index}`, "x".repeat(200)]),
  );
  const changed = Object.fromEntries(Object.keys(long).map((name) => [name, "y".repeat(200)]));
  assert.equal(why(withParameters(long), withParameters(changed))?.length, 400);
});

test("long values are cut short", () => {
  const cause = why(plain, withParameters({ libraries: "x".repeat(1000) })) ?? "";
  assert.equal(cause.length, "libraries (default) → ".length + 60);
  assert.match(cause, /…$/);
});
