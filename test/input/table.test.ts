// The table of bad inputs as the operator sees it when admission was bypassed, and the table itself: it leaves no field out.
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { ObservedDatabase } from "../../operator/domain/observed-database";
import { labelsOf } from "../../components/naming";
import { databaseSchema } from "../../operator/api/crd";
import { parseDatabase } from "../../operator/api/object";
import { fieldsOf } from "../../operator/api/reference";
import { judge } from "../../operator/reconcile/judge";
import { reconcile } from "../../operator/reconcile/reconcile";
import { engines } from "../../operator/stack/engines";
import { databaseObject, FakeCluster } from "../fakes/ports";
import { nodes, table } from "./table";
import { pathOf } from "./fields";
import { complete, withValue, type Entry } from "./entry";

const quiet = { running: () => Promise.resolve(), changed: () => Promise.resolve() };

const objectOf = ({ written }: Pick<Entry, "written">): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: written.name, namespace: "team", uid: "1" },
  spec: written.spec,
});

test("the table has every field of the spec, most of them with many entries", () => {
  const { spec } = databaseSchema().properties ?? {};
  assert.ok(spec);
  const paths = new Set(nodes.map(({ keys }) => pathOf(keys)));
  for (const { path } of fieldsOf(spec, "spec")) assert.ok(paths.has(path.replaceAll("[]", "[0]")), path);
  for (const path of paths) assert.ok(table.filter((entry) => entry.path === path).length >= 5, path);
});

test("every entry is distinguished from the others", () => {
  const titles = table.map(({ title }) => title);
  const twice = titles.filter((title, index) => titles.indexOf(title) !== index);
  assert.deepEqual(twice, []);
});

test("no label by which the operator knows a child can be set by a person", () => {
  for (const key of Object.keys(labelsOf("shop", "postgresql"))) {
    const spec = withValue(complete, ["monitoring", "labels"], { [key]: "other" });
    assert.equal(parseDatabase(objectOf({ written: { name: "shop", spec } })).ok, false, key);
  }
});

const parserRefuses = table.filter(({ door }) => door.kind === "refused" && door.parserToo);
test(`bypassed admission: the parser refuses all ${parserRefuses.length} entries, and names the field`, () => {
  const silent = parserRefuses.filter((entry) => {
    const parsed = parseDatabase(objectOf(entry));
    return parsed.ok || !parsed.problems.some((problem) => problem.startsWith(`${entry.path}: `));
  });
  assert.deepEqual(
    silent.map((entry) => {
      const parsed = parseDatabase(objectOf(entry));
      return `${entry.title} → ${parsed.ok ? "ok" : parsed.problems.join("; ").slice(0, 200)}`;
    }),
    [],
  );
});

/** The world of a Database of the table: one catalogue, and the ConfigMap that it names. */
const world = {
  volumes: new FakeCluster().volumes,
  world: { ...new FakeCluster().ports.world, catalogue: { postgresql: { "17.6": { image: "postgresql:17.6" } } } },
  engines,
  configSource: (_namespace: string, name: string) => Promise.resolve(name === "tuning" ? { jit: "off" } : undefined),
};

for (const entry of table.filter(({ door }) => door.kind === "accepted")) {
  const { title, door } = entry;
  const then = door.kind === "accepted" ? door.then : "";
  test(`accepted, and then ${then}: ${title.slice(0, 120)}`, async () => {
    const parsed = parseDatabase(objectOf(withoutNulls(entry)));
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.problems.join("; "));
    const { paused } = parsed.database.spec;
    const judgement = await judge(parsed.database, world);
    const outcome = judgement.kind === "refused" ? judgement.outcome : undefined;
    const found = outcome?.kind === "stalled" ? outcome.reason : paused ? "Paused" : "works";
    assert.equal(found, then, outcome?.kind === "stalled" ? outcome.message.slice(0, 500) : "");
  });
}

/** The API server takes a null away before any webhook sees it. */
function withoutNulls(entry: Entry): Entry {
  const spec: unknown = JSON.parse(JSON.stringify(entry.written.spec), (_key, value: unknown) => value ?? undefined);
  return { ...entry, written: { ...entry.written, spec } };
}

const anything = fc.anything({ maxDepth: 3, withNullPrototype: true });

test("whatever is written in any field, the parser answers, and never with the value", () => {
  const paths = nodes.map(({ keys }) => keys.slice(1));
  fc.assert(
    fc.property(fc.constantFrom(...paths), anything, fc.string({ unit: "binary" }), (keys, value, text) => {
      const secret = `hunter2${text}`;
      for (const written of [value, secret, [secret], { a: secret }]) {
        const parsed = parseDatabase(objectOf({ written: { name: "shop", spec: withValue(complete, keys, written) } }));
        if (!parsed.ok) assert.ok(!parsed.problems.join().includes("hunter2"), parsed.problems.join());
      }
    }),
    { numRuns: 500, seed: 4 },
  );
});

test("whatever the spec is, the reconcile stalls or runs, and throws nothing", async () => {
  const specs = fc.oneof(
    anything,
    fc
      .tuple(fc.constantFrom(...nodes.map(({ keys }) => keys.slice(1))), anything)
      .map(([keys, value]) => withValue(complete, keys, value)),
  );
  await fc.assert(
    fc.asyncProperty(specs, async (spec) => {
      const cluster = new FakeCluster();
      cluster.configMaps.set("team/tuning", {});
      const object = { ...databaseObject(), spec };
      const outcome = await reconcile(cluster.key, new ObservedDatabase(object), cluster.ports, quiet);
      const parsed = parseDatabase(object);
      assert.equal(cluster.ups.length, outcome.kind === "settled" ? 1 : 0);
      assert.ok(outcome.kind === "settled" || outcome.kind === "stalled", outcome.kind);
      assert.equal(outcome.kind === "stalled" && outcome.reason === "SpecInvalid", !parsed.ok);
    }),
    { numRuns: 300, seed: 4 },
  );
});
