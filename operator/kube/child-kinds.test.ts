import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { sharedServices } from "../../components/naming";
import type { ServerTls } from "../../contract/tls";
import { specOf } from "../../test/fakes/specs";
import { cases } from "../../test/golden/cases";
import { record } from "../../test/golden/record";
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

const Declared = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });

for (const [name, args] of Object.entries(cases)) {
  test(`everything that "${name}" declares, but for Jobs, may be declared`, async () => {
    const owner = { name: "shop", namespace: args.namespace, uid: "u" };
    const { engine, version, replicas = 3, tls } = args;
    const bucket = { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } };
    const backup = args.backup?.s3 && { destination: { s3: bucket } };
    const spec = specOf({ engine, version, replicas, ...(backup && { backup }) });
    const desired = { owner, spec, serviceMonitors: true, ...(tls && { tls }) };
    const possible = new Set(possibleChildren(desired));
    const declared = (await record("shop", args))
      .filter(({ type }) => type.startsWith("kubernetes:"))
      .map(({ inputs }) => Declared.parse(inputs))
      .filter(({ kind }) => kind !== "Job");
    assert.ok(declared.length > 10);
    const missing = declared
      .map((child) => `${child.kind} ${child.metadata.name}`)
      .filter((child) => !possible.has(child));
    assert.deepEqual(missing, []);
  });
}

test("of one member nothing is asked that only several have, nor of an engine what another one has", () => {
  const owner = { name: "shop", namespace: "team", uid: "u" };
  const of = (spec: Parameters<typeof specOf>[0]): Set<string> =>
    new Set(possibleChildren({ owner, spec: specOf(spec), serviceMonitors: false }));
  const one = of({ engine: "postgresql", replicas: 1 });
  assert.ok(one.has("ConfigMap shop-leader") && !one.has("ConfigMap shop-group"));
  assert.ok(!one.has("PodDisruptionBudget shop") && !one.has("PersistentVolumeClaim data-shop-1"));
  const three = of({ engine: "mysql", version: "9.7", replicas: 3 });
  assert.ok(three.has("ConfigMap shop-group") && !three.has("ConfigMap shop-leader"));
  assert.ok(three.has("PodDisruptionBudget shop") && three.has("PersistentVolumeClaim data-shop-2"));
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
