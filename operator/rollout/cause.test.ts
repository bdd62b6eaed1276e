import assert from "node:assert/strict";
import test from "node:test";
import { restartParametersAnnotation } from "../../components/naming";
import { causeOf, shortened, type MemberTemplate } from "./cause";

const member = (image: string, some: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ name: "postgresql", image: `registry/team/${image}`, resources: { limits: { memory: "512Mi" } } },
  ...some,
});
const exporter = (image: string): Record<string, unknown> => ({ name: "metrics", image: `registry/team/${image}` });

const templateOf = (containers: readonly unknown[], digest = "a"): unknown => ({
  metadata: { annotations: { [restartParametersAnnotation]: digest } },
  spec: { containers },
});

function why(
  before: unknown,
  after: unknown,
  parameters: readonly MemberTemplate["parameters"][] = [],
): string | undefined {
  return causeOf({ template: before, parameters: parameters[0] }, { template: after, parameters: parameters[1] });
}

const plain = templateOf([member("db:17.6"), exporter("db:17.6")]);
const other = templateOf([member("db:17.6"), exporter("db:17.6")], "b");

test("equal templates are no cause", () => {
  assert.equal(why(plain, structuredClone(plain)), undefined);
});

test("another image is named once, however many containers have it", () => {
  assert.equal(why(plain, templateOf([member("db:17.7"), exporter("db:17.7")])), "image db:17.6 → db:17.7");
});

test("parameters are named with their values, those that were set, changed and left out", () => {
  const parameters: readonly Record<string, string>[] = [
    { max_connections: "100", wal_level: "replica" },
    { max_connections: "150", shared_buffers: "1GB" },
  ];
  assert.equal(
    why(plain, other, parameters),
    "max_connections 100 → 150, shared_buffers (default) → 1GB, wal_level replica → (default)",
  );
});

test("where nobody wrote the parameters down, they are not named", () => {
  assert.equal(why(plain, other, [undefined, { max_connections: "150" }]), "parameters that only a restart takes over");
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
  assert.match(why(plain, other, [{}, many]) ?? "", /p4 \(default\) → 1 and 3 more$/);
});

test("all of them together stay short enough to be quoted", () => {
  const long = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`parameter_number_${index}`, "x".repeat(200)]),
  );
  const changed = Object.fromEntries(Object.keys(long).map((name) => [name, "y".repeat(200)]));
  assert.equal(why(plain, other, [long, changed])?.length, 400);
});

test("long values are cut short, so that they can be kept", () => {
  const { libraries = "" } = shortened({ libraries: "x".repeat(1000) });
  assert.equal(libraries.length, 60);
  assert.match(libraries, /…$/);
});
