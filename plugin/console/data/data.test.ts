import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { KeptPersons } from "../access/kept";
import { placesOf } from "../access/places";
import { personOf } from "../access/open";
import { fakeCluster } from "../../../test/fakes/plugin/cluster";
import { shown } from "../../../test/fakes/plugin/console";
import { mergePatch } from "../../rollback/judge";

type Json = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** As RFC 7386 has it. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result = new Map(Object.entries(isMap(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/** Without null, which a merge patch cannot write. */
const { spec } = fc.letrec((tie) => ({
  spec: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value"), { maxKeys: 3 }),
  value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 }), tie("spec")),
}));

test("what the page says to patch leads from one spec to the other", () => {
  fc.assert(
    fc.property(spec, spec, (before, after) => {
      const patch = mergePatch(before, after);
      const canonical = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      assert.deepEqual(canonical(merged(before, patch)), canonical(after));
    }),
  );
});

test("namespaces are those that are known and those that may be listed, each tried", async () => {
  const namespaces = ["a", "bank", "shop"].map((name) => ({ kind: "Namespace", metadata: { name, namespace: "" } }));
  const all = fakeCluster({ objects: [...shown, ...namespaces] });
  assert.equal(await placesOf(all, []), "all");
  const some = fakeCluster({ objects: shown, onlyIn: ["bank"] });
  assert.deepEqual(await placesOf(some, ["shop", "bank"]), { names: ["bank"], left: 0 });
  assert.deepEqual(await placesOf(some, []), { names: [], left: 0 });
});

test("what could not be found out is asked again", async () => {
  let isAway = true;
  const inner = fakeCluster({ objects: shown });
  const cluster = {
    ...inner,
    get: (path: string) => (isAway ? Promise.reject(new Error("away")) : inner.get(path)),
  };
  const person = personOf(cluster, [], "jane");
  await assert.rejects(person.places(), /away/);
  isAway = false;
  assert.equal(await person.places(), "all");
});

test("persons are kept for a minute, no more of them than there is room for, and failures are not", async () => {
  let time = 0;
  const kept = new KeptPersons(2, () => new Date(time));
  let opened = 0;
  const open = (): Promise<ReturnType<typeof personOf>> => {
    opened += 1;
    return Promise.resolve(personOf(fakeCluster({ objects: [] }), [], "jane"));
  };
  await kept.of("a", open);
  await kept.of("a", open);
  assert.equal(opened, 1);
  time = 61_000;
  await kept.of("a", open);
  assert.equal(opened, 2);
  await kept.of("b", open);
  await kept.of("c", open);
  await kept.of("a", open);
  assert.equal(opened, 5);
  kept.forget("a");
  await assert.rejects(
    kept.of("a", () => Promise.reject(new Error("no"))),
    /no/,
  );
  await kept.of("a", open);
  assert.equal(opened, 6);
});
