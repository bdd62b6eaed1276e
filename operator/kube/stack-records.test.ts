// A record comes back from its Secret as it was saved.
import assert from "node:assert/strict";
import test from "node:test";
import { json } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import { specOf } from "../../test/fakes/specs";
import { Agreed } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { createStackRecords } from "./stack-records";
import { begunUpgrade } from "../domain/upgrade";

const record: StackRecord = {
  checkpoint: undefined,
  digest: undefined,
  uid: "uid-1",
  workload: { uid: "uid-2", generation: 3 },
  declared: { engine: "postgresql", version: "17.1", storage: "1Gi" },
  accepted: undefined,
  history: [
    { revision: 1, at: "2026-01-01T00:00:00.000Z", seconds: 2, digest: "d", summary: "19 created", by: "kubectl" },
  ],
  keptBackups: ["shop-20260101T000000Z"],
  tls: {
    ...{ began: "Off", declared: "Prefer", reached: "Off" },
    issued: {
      due: "2026-01-31T00:00:00.000Z",
      certificateFrom: "2025-12-31T23:00:00.000Z",
      certificateUntil: "2026-03-01T00:00:00.000Z",
      authorityUntil: "2035-12-30T00:00:00.000Z",
    },
    published: { abc123: "2026-01-01T00:00:00.000Z" },
  },
  grown: { size: "2Gi", at: "2026-01-01T00:00:00.000Z", reason: "full" },
  finalBackup: "uid-1/2",
  restoring: [
    { child: "Service shop", urn: "urn:a", kind: "edited", fields: ["spec.ports"], by: "kubectl-edit", uid: "uid-3" },
    { child: "PersistentVolumeClaim data-shop-1", urn: "urn:b", kind: "deleted", fields: [], by: undefined },
  ],
  upgrade: begunUpgrade("uid-1", {
    ...{ from: "15.20", to: "17.12" },
    images: { from: "server:15", to: "server:17", job: "upgrade:17" },
  }),
  restored: {
    ...{ uid: "uid-1", backup: "before-migration", claim: "orders-backup", label: "orders-20260101T020000Z" },
    isDone: false,
  },
  plans: 3,
  seen: { uid: "uid-1", generation: 4 },
  release: "0123456789abcdef",
  formedBy: "fedcba9876543210",
  whole: { accepted: { spec: specOf({}), image: "server:17", config: {} }, template: { metadata: {}, spec: {} } },
  agreed: {
    ...{ wish: "a", policy: { requireApproval: ["DataLoss"], windows: [] }, used: "plan" },
    accepted: { spec: specOf({ replicas: 5 }), image: "server:17", config: { work_mem: "8MB" } },
    former: { wish: "b", accepted: { spec: specOf({ replicas: 3 }), image: "server:17", config: {} } },
  },
  pending: {
    wish: "c",
    shown: {
      ...{ digest: "d", effect: "Removal", since: "2026-01-01T00:00:00Z", generation: 2, waitsFor: [] },
      changes: [{ path: "spec.replicas", before: "3", after: "2" }],
      consequences: [{ effect: "Removal", members: ["shop-2"], message: "shop-2 is removed" }],
    },
    ...{ former: ["e"], authors: ["maria"], applied: "f", primary: "shop-0", late: "g", isApproved: true },
  },
  version: "",
};

test("a record is read as it was saved, with what a failed run was restoring", async (t) => {
  const { api, client } = await connected(t);
  let saved: object = {};
  api.on(/^POST .*secrets/, (response, nth, request) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { metadata, ...rest } = JSON.parse(Buffer.concat(parts).toString()) as { metadata: object };
      saved = { ...rest, metadata: { ...metadata, resourceVersion: "7" } };
      json(saved)(response, nth, request);
    });
  });
  api.on(/^GET .*secrets/, (...answer) => {
    json(saved)(...answer);
  });
  const records = createStackRecords({ client, namespace: "system" });
  await records.save("team/shop", record);
  records.forget("team/shop");
  assert.deepEqual(await records.load("team/shop"), { ...record, version: "7" });
  const imported = { version: "15.18", tables: 1, rows: 2, consistency: "OneMoment" } as const;
  const place = { host: "old-db", port: 5432, databases: ["shop"], credentials: "old-db", tls: "Verify" } as const;
  const restored = { uid: "uid-1", server: place, isDone: true, imported };
  await records.save("team/shop", { ...record, restored });
  records.forget("team/shop");
  assert.deepEqual((await records.load("team/shop"))?.restored, restored);
});

test("what was agreed to is read without a spec that is none any more", () => {
  const { accepted, ...former } = Agreed.parse({
    wish: "b",
    accepted: { spec: { engine: "other" }, image: "i", config: {} },
  });
  assert.deepEqual([accepted, former], [undefined, { wish: "b" }]);
});
