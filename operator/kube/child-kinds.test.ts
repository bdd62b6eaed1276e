import assert from "node:assert/strict";
import test from "node:test";
import { sharedServices } from "../../components/naming";
import { childKinds } from "./child-kinds";
import { namePattern } from "../../contract/limits";

/** What two Databases cannot both have; the younger one gets `NameConflict`. */
const known = ["Service orders-any", "Service orders-headless", "Service orders-ro"];

test("Databases of one namespace conflict only where one has the name of the other's Service", () => {
  const others = new Set(childKinds.flatMap(({ names }) => names("orders")).filter((name) => namePattern.test(name)));
  others.delete("orders");
  assert.ok(others.has("orders-backup") && others.has("orders-init") && others.has("data-orders-0"));
  const shared = [...others].flatMap((other) =>
    childKinds.flatMap(({ kind, names }) => {
      const taken = new Set(names("orders"));
      return names(other).flatMap((name) => (taken.has(name) ? [`${kind} ${name}`] : []));
    }),
  );
  assert.deepEqual([...new Set(shared)].sort(), known);
  assert.deepEqual(
    sharedServices("orders")
      .map(({ service }) => `Service ${service}`)
      .sort(),
    known,
  );
});
