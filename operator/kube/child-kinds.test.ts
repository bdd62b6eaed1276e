import assert from "node:assert/strict";
import test from "node:test";
import { sharedServices } from "../../components/naming";
import { specOf } from "../../test/fakes/specs";
import type { DesiredRestore } from "../domain/restore";
import { childKinds, isDisposable, kindOf, possibleChildren } from "./child-kinds";
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

test("of claims the one on which backups are made can be created again, and no other", () => {
  const claims = kindOf("PersistentVolumeClaim");
  const disposable = claims.names("shop").filter((name) => isDisposable(claims, name, "shop"));
  assert.deepEqual(disposable, ["shop-backup-staging"]);
});

test("a claim of the name of the one on which backups are made is in the way of those alone that have one", () => {
  const owner = { name: "shop", namespace: "team", uid: "u" };
  const s3 = { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } };
  const mysql = { engine: "mysql", version: "9.7" };
  const stored = { backup: { destination: { s3 } } };
  const isAsked = (fields: Record<string, unknown>): boolean =>
    possibleChildren({ owner, spec: specOf(fields), serviceMonitors: false }).includes(
      "PersistentVolumeClaim shop-backup-staging",
    );
  assert.deepEqual([{ ...mysql, ...stored }, mysql, stored, {}].map(isAsked), [true, false, false, false]);
});
