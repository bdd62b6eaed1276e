import assert from "node:assert/strict";
import test from "node:test";
import { sharedServices } from "../../components/naming";
import type { ServerTls } from "../../contract/tls";
import { specOf } from "../../test/fakes/specs";
import type { DesiredRestore } from "../domain/restore";
import { childKinds, possibleChildren } from "./child-kinds";
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

test("a run may declare the Job that fills the first volume from where the data come, and no other one", () => {
  const owner = { name: "shop", namespace: "team", uid: "u" };
  const server = { host: "old-db", port: 5432, databases: ["shop"], credentials: "old-db", tls: "Verify" } as const;
  const jobsFor = (restore?: DesiredRestore): string[] =>
    possibleChildren({ owner, spec: specOf(), serviceMonitors: false, ...(restore !== undefined && { restore }) })
      .filter((child) => /^Job .*-(restore|import)$/.test(child))
      .sort();
  assert.deepEqual(jobsFor(), []);
  assert.deepEqual(jobsFor({ backup: "a", claim: "b", label: "c" }), ["Job shop-restore"]);
  assert.deepEqual(jobsFor({ server }), ["Job shop-import"]);
});

test("a run may declare certificates where members get any", () => {
  const owner = { name: "shop", namespace: "team", uid: "u" };
  const secretsFor = (tls?: ServerTls): string[] =>
    possibleChildren({ owner, spec: specOf(), serviceMonitors: false, ...(tls !== undefined && { tls }) })
      .filter((child) => /^Secret .*-(tls|ca)$/.test(child))
      .sort();
  for (const tls of [undefined, "Off"] as const) assert.deepEqual(secretsFor(tls), []);
  for (const tls of ["Prefer", "Require"] as const)
    assert.deepEqual(secretsFor(tls), ["Secret shop-ca", "Secret shop-server-tls"]);
});
