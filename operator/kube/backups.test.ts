// What is asked of the API server for DatabaseBackups: their watch, the Jobs that they ask for, and the records of Jobs.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { asked, runOf } from "../../test/fakes/backups";
import { begun, event, json, list, notFound, type ScriptedApi } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import { eventually } from "../../test/harness/eventually";
import { backupJobAnnotation, finalBackupAnnotation, managedSelector } from "../../components/naming";
import type { BackupWrites } from "../backups/ports";
import { createBackupObjects } from "./backup-objects";
import { createBackupWrites } from "./backup-writes";
import { BackupWatch } from "./backups";
import { scopesOf } from "./scope";

const refused = (status: number, reason: string, message = reason): ReturnType<typeof json> =>
  json({ kind: "Status", reason, message, code: status }, status);

const template = {
  metadata: { labels: managedSelector("shop"), annotations: { note: "a" } },
  spec: { backoffLimit: 3, template: { spec: { containers: [] } } },
};
const cronJob = {
  metadata: { name: "shop-backup", uid: "cron-uid", labels: managedSelector("shop") },
  spec: { suspend: false, jobTemplate: template },
};

interface Bodies {
  readonly api: ScriptedApi;
  readonly writes: BackupWrites;
  /** What was sent, in order. */
  readonly sent: unknown[];
}

/** Every creation is answered with what was sent, until another answer is written down. */
async function writing(t: TestContext): Promise<Bodies> {
  const { api, client } = await connected(t);
  const sent: unknown[] = [];
  api.on(/^POST/, (response, _nth, request) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(parts).toString());
      sent.push(body);
      json(body, 201)(response, 0, request);
    });
  });
  api.on(/^GET .*\/cronjobs\/shop-backup$/, json(cronJob));
  return { api, writes: createBackupWrites(client), sent };
}

const job = "shop-backup-m00000000b";
const manual = { namespace: "team", database: "shop", job, requestedBy: "before-migration" };

test("a Job is made as kubectl makes one from a CronJob", async (t) => {
  const { writes, sent } = await writing(t);
  const result = await writes.begin(manual);
  assert.ok(result.kind === "begun");
  assert.deepEqual([result.run.name, result.run.requestedBy, result.run.isManual], [job, "before-migration", true]);
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "shop-backup", uid: "cron-uid", controller: true };
  const annotations = {
    ...{ note: "a", "cronjob.kubernetes.io/instantiate": "manual" },
    "database.example.com/backup": "before-migration",
  };
  const metadata = { name: job, namespace: "team", labels: managedSelector("shop"), annotations };
  const body = { apiVersion: "batch/v1", kind: "Job", metadata: { ...metadata, ownerReferences: [owner] } };
  assert.deepEqual(sent, [{ ...body, spec: template.spec }]);
});

test("a Job that an earlier attempt made is taken, and one that only has its name is not", async (t) => {
  const { api, writes } = await writing(t);
  const existing = (backup: string): unknown => ({
    metadata: {
      ...{ name: job, namespace: "team", uid: "j", labels: managedSelector("shop") },
      annotations: { "database.example.com/backup": backup },
    },
  });
  api.on(/^POST .*\/jobs/, refused(409, "AlreadyExists"));
  api.on(/^GET .*\/jobs\//, json(existing("before-migration")));
  assert.equal((await writes.begin(manual)).kind, "begun");
  api.on(/^GET .*\/jobs\//, json(existing("another")));
  const other = await writes.begin(manual);
  assert.match(other.kind === "refused" ? other.message : "", /delete it/);
});

test("no Job is made from a CronJob that goes, or that is not the operator's", async (t) => {
  const { api, writes, sent } = await writing(t);
  const others = [
    json({ ...cronJob, metadata: { ...cronJob.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    json({ ...cronJob, metadata: { ...cronJob.metadata, labels: {} } }),
    notFound,
  ];
  for (const answer of others) {
    api.on(/^GET .*\/cronjobs\/shop-backup$/, answer);
    assert.deepEqual(await writes.begin(manual), { kind: "no CronJob" });
  }
  assert.deepEqual(sent, []);
  api.on(/^GET .*\/cronjobs\/shop-backup$/, json(cronJob));
  api.on(/^POST .*\/jobs/, refused(403, "Forbidden", "exceeded quota"));
  assert.deepEqual(await writes.begin(manual), { kind: "refused", message: "exceeded quota" });
});

test("the record of a Job is created once, and under another name where that of another one has its name", async (t) => {
  const { api, writes, sent } = await writing(t);
  const run = runOf(1);
  await writes.record(run);
  const told = (uid: string): unknown => ({ metadata: { annotations: { [backupJobAnnotation]: uid } } });
  api.on(/^POST .*\/databasebackups/, refused(409, "AlreadyExists"));
  api.on(/^GET .*\/databasebackups\//, json(told(run.uid)));
  await writes.record(run);
  api.on(/^GET .*\/databasebackups\/shop-20260101t020000$/, json(told("another")));
  await writes.record(run);
  assert.deepEqual(
    api.asked.filter((line) => line.startsWith("GET")).map((line) => line.split("/").at(-1)),
    ["shop-20260101t020000", "shop-20260101t020000", "shop-20260101t020000-job%201"],
  );
  assert.deepEqual(sent, [
    {
      ...{ apiVersion: "example.com/v1", kind: "DatabaseBackup", spec: { database: "shop" } },
      metadata: { namespace: "team", name: "shop-20260101t020000", annotations: { [backupJobAnnotation]: run.uid } },
    },
  ]);
  api.on(/^POST .*\/databasebackups/, refused(404, ""));
  assert.equal(await writes.record(run), false, "the kind was removed");
});

/** As the API server sends it. */
const sent = ({ metadata, spec, status }: ReturnType<typeof asked>, some: object = {}): unknown => ({
  metadata,
  spec,
  status: { ...status, ...some },
});

test("the watch knows which are kept, and nothing while the kind is not installed", async (t) => {
  const { api, client } = await connected(t);
  const changes: string[] = [];
  const problems: unknown[] = [];
  const watch = new BackupWatch({
    client,
    scopes: scopesOf(client, [], () => undefined),
    onChange: (database) => changes.push(`changed ${database}`),
    onKept: (database) => changes.push(`kept ${database}`),
    onProblem: (cause) => problems.push(cause),
  });
  t.after(() => watch.stop());
  const { settled, synced } = watch.start();
  await settled;
  assert.equal(problems.length, 1);
  assert.deepEqual([watch.of("team/shop"), watch.keptOf("team/shop")], [undefined, undefined]);
  const kept = sent(asked("a", true), { label: "shop-20260101T020003Z" });
  const nameless = sent(asked("b", true));
  const unreadable = { metadata: { name: "x", namespace: "team" }, spec: {} };
  const plain = sent(asked("c"), { label: "shop-20260102T020003Z" });
  api.on(/^GET .*\/databasebackups\?limit/, list("7", kept, nameless, plain, unreadable));
  const freed = sent({ ...asked("a"), spec: { database: "shop", keep: false } }, { label: "shop-20260101T020003Z" });
  api.on(/^GET .*\/databasebackups\?.*watch=/, begun(event("MODIFIED", freed)));
  await synced;
  assert.equal(watch.of("team/shop")?.length, 3);
  assert.deepEqual(watch.of("team/other"), []);
  await eventually(() => {
    assert.deepEqual(watch.keptOf("team/shop"), []);
  });
  assert.equal(changes.filter((line) => line === "kept team/shop").length, 2, changes.join());
});

test("the last backup is recorded by an object of its very Job that succeeded; and what goes with a volume is removed", async (t) => {
  const { api, client } = await connected(t);
  const objects = createBackupObjects(client);
  const annotations = { [finalBackupAnnotation]: "u/2" };
  const final = { metadata: { uid: "final" }, spec: { template: { metadata: { annotations } } } };
  api.on(/^GET .*\/jobs\/shop-backup-final$/, json(final));
  assert.equal(await objects.isTold("team/shop", "u/2"), true, "the kind is not installed");
  const told = (uid: string, phase: string): unknown => {
    const backup = asked(`${uid}-${phase}`.toLowerCase());
    const { metadata } = backup;
    return sent({ ...backup, metadata: { ...metadata, annotations: { [backupJobAnnotation]: uid } } }, { phase });
  };
  const collection = /^GET .*\/databasebackups$/;
  api.on(collection, list("1", told("another", "Succeeded"), told("final", "Running")));
  assert.equal(await objects.isTold("team/shop", "u/2"), false);
  api.on(collection, list("1", told("final", "Succeeded")));
  assert.equal(await objects.isTold("team/shop", "u/2"), true);
  assert.equal(await objects.isTold("team/shop", "u/3"), false, "the Job answers another wish");
  const foreign = { metadata: { ...asked("x").metadata }, spec: { database: "other" }, status: { phase: "Failed" } };
  api.on(collection, list("1", told("a", "Succeeded"), told("b", "Failed"), told("c", "Pending"), foreign));
  api.on(/^DELETE/, json({ kind: "Status", status: "Success" }));
  await objects.remove("team/shop");
  const deleted = api.asked.filter((line) => line.startsWith("DELETE")).map((line) => /([^/]+)\?/.exec(line)?.[1]);
  assert.deepEqual(deleted.sort(), ["a-succeeded", "b-failed"]);
  await objects.endDrill("team/shop", "shop-verify-1");
  assert.match(
    api.asked.at(-1) ?? "",
    /^DELETE .*\/namespaces\/team\/jobs\/shop-verify-1\?propagationPolicy=Background/,
  );
});
