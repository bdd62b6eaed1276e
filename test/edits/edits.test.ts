import assert from "node:assert/strict";
import test from "node:test";
import { parseDatabase } from "../../operator/api/object";
import { schemaOf, type Schema } from "../../operator/api/schema";
import { DatabaseSpec } from "../../operator/api/spec";
import { canonical } from "../../operator/objects/json";
import { engines } from "../../operator/stack/engines";
import { argsOf } from "../../operator/stack/program";
import { settingsOf } from "../../components";
import { engineOf } from "../../components/engines/available";
import { cases } from "../golden/cases";
import { editOf, fields, firstSpec, fixedFields, isImpossible, type Edit, type Spec } from "./edits";
import { simulatedGrounds } from "./simulated";
import { factsOf } from "../../contract/engines";
import { samples } from "../engines/all";
import type { Grounds } from "./grounds";
import { Random } from "./random";

/** Every field that has no fields of its own. */
function leavesOf(schema: Schema, path: readonly string[] = []): string[] {
  if (schema.properties === undefined) return [path.join(".")];
  return Object.entries(schema.properties).flatMap(([name, child]) => leavesOf(child, [...path, name]));
}

test("every field of the spec is edited, or cannot be", () => {
  assert.deepEqual([...fields, ...Object.keys(fixedFields)].sort(), leavesOf(schemaOf(DatabaseSpec)).sort());
});

function* courseOf(seed: number, grounds: Grounds, count: number): Generator<Edit & { readonly before: Spec }> {
  const random = new Random(seed);
  let before = firstSpec(grounds);
  for (let number = 0; number < count; number++) {
    const edit = editOf(before, random, grounds);
    yield { ...edit, before };
    before = edit.spec;
  }
}

const courses = Object.values(simulatedGrounds).flatMap((grounds) =>
  [1, 2, 3, 4, 5].map((seed) => ({ grounds, edits: [...courseOf(seed, grounds, 500)] })),
);

const without = (value: object, path: readonly string[]): object => {
  const [name = "", ...rest] = path;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, nested]: [string, unknown]) => {
      if (key !== name) return [[key, nested]];
      return rest.length === 0 || typeof nested !== "object" || nested === null ? [] : [[key, without(nested, rest)]];
    }),
  );
};

test("the same seed leads to the same edits, another one to others", () => {
  const [grounds] = Object.values(simulatedGrounds);
  assert.ok(grounds);
  assert.deepEqual([...courseOf(7, grounds, 50)], [...courseOf(7, grounds, 50)]);
  assert.notDeepEqual([...courseOf(7, grounds, 50)], [...courseOf(8, grounds, 50)]);
});

test("every edit is of a spec that the operator accepts, with parameters that the engine knows", () => {
  for (const { grounds, edits } of courses) {
    for (const { spec, field } of edits) {
      const object = { metadata: { name: "shop", namespace: "team", uid: "u", generation: 1 }, spec };
      const parsed = parseDatabase(object);
      assert.ok(parsed.ok, `${field}: ${JSON.stringify(parsed)}`);
      assert.deepEqual(engines.parameterProblems(parsed.database.spec, spec.config ?? {}), []);
      assert.ok(spec.replicas === undefined || grounds.replicas.includes(spec.replicas));
    }
  }
});

test("every edit changes its field; of sizes that must fit each other the other one, too", () => {
  for (const { edits } of courses) {
    for (const { field, spec, before } of edits) {
      assert.notDeepEqual(spec, before);
      const path = field.startsWith("resources.") ? ["resources"] : field.split(".");
      const rest = (whole: Spec): string => JSON.stringify(leavesIn(without(whole, path)));
      assert.equal(rest(spec), rest(before), field);
    }
  }
});

/** Sorted, and without objects that hold nothing. */
function leavesIn(value: object, path = ""): string[] {
  return Object.entries(value)
    .flatMap(([key, nested]: [string, unknown]) =>
      typeof nested === "object" && nested !== null
        ? leavesIn(nested, `${path}.${key}`)
        : [`${path}.${key}=${String(nested)}`],
    )
    .sort();
}

/** What the operator itself does otherwise, and no child shows. */
const ofTheOperator: ReadonlySet<string> = new Set(["paused", "deletionPolicy", "storageAutoGrow.maxSize"]);

test("what is edited reaches the component: no field is accepted and ignored", () => {
  const argsFor = (spec: Spec): string => {
    const parsed = DatabaseSpec.parse(spec);
    // what is in a ConfigMap is told by its name
    const config = { ...parsed.config, configFrom: parsed.configFrom?.name ?? "" };
    const owner = { name: "shop", namespace: "team", uid: "u" };
    return canonical(argsOf({ owner, spec: parsed, image: "image", config, serviceMonitors: true }));
  };
  const reaching = new Set<string>();
  for (const { edits } of courses)
    for (const { field, spec, before } of edits) if (argsFor(spec) !== argsFor(before)) reaching.add(field);
  assert.deepEqual(
    fields.filter((field) => !reaching.has(field) && !ofTheOperator.has(field)),
    [],
    "operator/stack/program.ts hands them on",
  );
});

test("volumes only grow, versions only go up, and what cannot be edited stays", () => {
  const size = (text = "10Gi"): number => Number.parseInt(text, 10);
  const backup = (spec: Spec): number => size(spec.backup?.destination?.volume?.size ?? spec.storage);
  for (const { grounds, edits } of courses) {
    for (const { spec, before } of edits) {
      assert.ok(size(spec.storage) >= size(before.storage));
      assert.ok(backup(spec) >= backup(before), `${JSON.stringify(before)} → ${JSON.stringify(spec)}`);
      assert.ok(grounds.versions.indexOf(spec.version) >= grounds.versions.indexOf(before.version));
      assert.equal(spec.engine, before.engine);
    }
  }
});

test("over a few hundred edits every field has its turn, sizes go up, down and beyond what a node has, and come back", () => {
  for (const { grounds, edits } of courses) {
    const { commits, superuser, drillsAsk, keepsChanges, canHaveTls } = factsOf(grounds.engine);
    const isAboutCommits = (field: string): boolean => field.startsWith("highAvailability.synchronous.");
    const isPossible = (field: string): boolean =>
      (commits === "as set" || !isAboutCommits(field)) &&
      (superuser.isClosable || field !== "superuserAccess") &&
      (canHaveTls || field !== "tls.mode") &&
      (keepsChanges.includes("on the backup volume") || field !== "backup.pointInTime.enabled") &&
      (drillsAsk === "SQL" || field !== "backup.verify.queries");
    const possible = fields.filter(isPossible);
    assert.deepEqual(new Set(edits.map(({ field }) => field)), new Set(possible));
    const impossible = edits.filter(({ spec }) => isImpossible(spec, grounds));
    assert.ok(impossible.length > 10 && impossible.length < edits.length / 2, `${impossible.length}`);
    assert.ok(edits.some(({ spec, before }) => isImpossible(before, grounds) && !isImpossible(spec, grounds)));
    const members = edits.map(({ spec, before }) => (spec.replicas ?? 3) - (before.replicas ?? 3));
    assert.ok(members.some((more) => more > 0) && members.some((more) => more < 0));
  }
});

test("of each engine there are parameters that take effect only at a restart, and others", () => {
  const base = cases["smallest"];
  assert.ok(base);
  for (const grounds of Object.values(simulatedGrounds)) {
    const { engine, version } = firstSpec(grounds);
    const atStart = Object.entries(samples[engine].edits.parameters).map(([name, [value = ""]]) => {
      const settings = settingsOf("shop", { ...base, engine, version, config: { [name]: value } });
      return String(engineOf(engine).startParameters(settings)[name]?.value) === value;
    });
    assert.deepEqual(new Set(atStart), new Set([true, false]), grounds.engine);
  }
});
