import assert from "node:assert/strict";
import test from "node:test";
import { ConfigReferences } from "./config-references";

const naming = (name: string): unknown => ({ spec: { configFrom: { name } } });

test("Databases are found by the ConfigMap that they name, and not by one that they named before", () => {
  const references = new ConfigReferences();
  references.note("team/shop", naming("tuning"), undefined);
  references.note("team/cart", naming("tuning"), undefined);
  references.note("other/shop", naming("tuning"), undefined);
  assert.deepEqual([...references.of("team/tuning")], ["team/shop", "team/cart"]);
  references.note("team/shop", naming("large"), naming("tuning"));
  assert.deepEqual([...references.of("team/tuning")], ["team/cart"]);
  assert.deepEqual([...references.of("team/large")], ["team/shop"]);
});

test("a ConfigMap that no Database names any more is forgotten", () => {
  const references = new ConfigReferences();
  references.note("team/shop", naming("tuning"), undefined);
  references.note("team/cart", naming("tuning"), undefined);
  references.note("team/shop", undefined, naming("tuning"));
  assert.equal(references.size, 1);
  references.note("team/cart", { spec: {} }, naming("tuning"));
  assert.equal(references.size, 0);
});
