// A client that meets a conflict looks again, and may: what is read only then is no less a right that the operator needs.
import assert from "node:assert/strict";
import test from "node:test";
import { companionKinds } from "../../../operator/api/companions/crd";
import { metadataOf } from "../../../operator/api/object";
import { createCertificateStore } from "../../../operator/kube/certificate-store";
import { KubeClient } from "../../../operator/kube/client";
import { createBackupWrites } from "../../../operator/kube/backup-writes";
import { createCompanionWrites } from "../../../operator/kube/companions";
import { asked, runOf } from "../../fakes/backups";
import { createDatabases } from "../../../operator/kube/databases";
import { parseRevision } from "../../../operator/api/revisions/object";
import { createLeaseStore } from "../../../operator/kube/lease-store";
import { createRevisionWrites } from "../../../operator/kube/revision-writes";
import { createStackRecords } from "../../../operator/kube/stack-records";
import { databaseObject } from "../../fakes/ports";
import { startAuthorizer } from "./authorizer";
import type { Right } from "./right";

const namespace = "database-operator-system";
const metadata = metadataOf(databaseObject());
const record = {
  checkpoint: undefined,
  digest: "",
  uid: "",
  workload: undefined,
  declared: undefined,
  accepted: undefined,
  history: [],
};
const revision = parseRevision({
  metadata: { name: "shop-uid-1-1", namespace: "team", uid: "u", resourceVersion: "1" },
  spec: { database: "shop", revision: 1, at: "2026-11-27T14:00:00Z" },
});
assert.ok(revision);
const lease = { holder: "a", durationSeconds: 15, acquiredAt: new Date(0), renewedAt: new Date(0), transitions: 0 };
const emptyStatus = { previous: {}, statusAfter: () => ({}) };
const events = { reporter: "test", now: () => new Date(0), onLostEvent: () => undefined };

/** What is written against a version that is outdated, and the right to look at what is there now. */
const conflicts: Record<string, readonly [write: (client: KubeClient) => Promise<unknown>, looks: Right]> = {
  "the status of a Database": [
    (client) => createDatabases(client, events).writeStatus(metadata, emptyStatus),
    "elsewhere databases.example.com get",
  ],
  "the finalizer of a Database": [
    (client) => createDatabases(client, events).addFinalizer(metadata),
    "elsewhere databases.example.com get",
  ],
  ...Object.fromEntries(
    companionKinds.map((kind) => [
      `the status of a ${kind.kind}`,
      [
        (client: KubeClient) => createCompanionWrites(client, companionKinds).writeStatus(kind, metadata, emptyStatus),
        `elsewhere ${kind.plural}.${kind.group} get`,
      ] as const,
    ]),
  ),
  "the status of a DatabaseBackup": [
    (client) => createBackupWrites(client).writeStatus(asked("a"), () => ({})),
    "elsewhere databasebackups.example.com get",
  ],
  "the record of a Job, where another object has its name": [
    (client) => createBackupWrites(client).record(runOf(1)),
    "elsewhere databasebackups.example.com get",
  ],
  "the status of a DatabaseRevision": [
    (client) => createRevisionWrites(client).writeStatus(revision, () => ({})),
    "elsewhere databaserevisions.example.com get",
  ],
  "a Database that a companion applies": [
    async (client) => {
      const writes = createCompanionWrites(client, companionKinds);
      const [apiVersion, kind] = ["example.com/v1", "Database"];
      await writes.apply({ apiVersion, kind, metadata: { ...metadata, ownerReferences: [] }, spec: {} });
      await writes.find(metadata);
    },
    "elsewhere databases.example.com get",
  ],
  "the state of a Database": [
    async (client) => {
      const records = createStackRecords({ client, namespace });
      await assert.rejects(records.save("team/shop", { ...record, version: "1" }), /another client wrote/);
      await records.load("team/shop");
    },
    "own secrets get",
  ],
  "the webhooks' certificates": [
    async (client) => {
      const store = createCertificateStore({ common: client, client, namespace });
      await store.replace({}, "1");
      await store.read();
    },
    "own secrets get",
  ],
  "the Lease": [
    async (client) => {
      const store = createLeaseStore({ client, namespace });
      assert.equal(await store.write(lease, "1"), undefined);
      await store.read();
    },
    "own leases.coordination.k8s.io get",
  ],
};

for (const [what, [write, looks]] of Object.entries(conflicts)) {
  test(`${what}, overwritten by another client, can be read again`, async (t) => {
    const server = await startAuthorizer(namespace);
    const access = { server: server.url, headers: () => Promise.resolve({}), connection: () => Promise.resolve({}) };
    const client = new KubeClient(access, "test");
    t.after(async () => {
      await client.close();
      server.stop();
    });
    const failure = await write(client).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.deepEqual(server.refused, []);
    assert.equal(failure, undefined);
    assert.ok(server.asked.includes(looks), `${looks} was not asked for: ${server.asked.join(", ")}`);
  });
}
