// What DatabaseBackups promise, against a real API server and the real operator; nodes are simulated, and so are the ends of Jobs.
import assert from "node:assert/strict";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { manualBackupJobName } from "../../components/naming";
import { backupsIn, databaseBackup, endJob, readBackup, untilPhase } from "../harness/backups";
import { database, readDatabase, untilBackedUp, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { withoutRoom } from "../harness/nodes";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

let platform: PlatformCluster;
let operator: OperatorProcess;

const start = (): Promise<OperatorProcess> => startOperatorProcess({ environment: platform.operatorEnvironment });
before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue, schedules: true });
  operator = await start();
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);
/** No scheduled backup falls into a test. */
const never = { schedule: "0 0 29 2 *" };

/** `<namespace>/shop`, ready and backed up for the first time. */
async function shop(namespace: string, spec: Record<string, unknown> = {}): Promise<readonly [string, string]> {
  const place = [await makeNamespace(platform.kubectl, namespace), "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, backup: never, ...spec }));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(1));
  return place;
}

const labelOf = (day: number): string => `shop-203001${String(day).padStart(2, "0")}T020003Z`;
const reportOf = (day: number, oldest = day): Parameters<typeof endJob>[2] => ({
  ...{ backup: labelOf(day), startedAt: new Date(Date.now() - 5000).toISOString(), bytes: 3 * 1024 ** 2 },
  ...{ member: "shop-0", cluster: "7512345678901234567", version: "17.6", oldest: labelOf(oldest) },
});

/** Applies one, and has its Job end with that report. */
async function take(
  namespace: string,
  name: string,
  report: Parameters<typeof endJob>[2],
  keep = false,
): Promise<void> {
  await withoutRoom(platform.kubectl, async () => {
    await platform.kubectl.apply(databaseBackup(name, namespace, { database: "shop", keep }));
    const { job } = await untilPhase(platform.kubectl, [namespace, name], "Running");
    await endJob(platform.kubectl, [namespace, job ?? ""], report);
    await untilPhase(platform.kubectl, [namespace, name], "Succeeded");
  });
}

const keptIn = async (namespace: string): Promise<string | undefined> =>
  z
    .object({ data: z.object({ kept: z.string().optional() }).prefault({}) })
    .parse(await platform.kubectl.find("configmap", "shop-backup", namespace)).data.kept;

test("applying one begins one Job from the CronJob, and kubectl shows what became of it", async () => {
  const [namespace] = await shop("manual");
  await take(namespace, "before-migration", reportOf(1));
  const { metadata, status } = await readBackup(platform.kubectl, namespace, "before-migration");
  const job = manualBackupJobName("shop", metadata.uid);
  const { label, trigger, sizeText, engine, location } = status;
  assert.deepEqual(
    [status.job, label, trigger, sizeText, engine, location],
    [job, labelOf(1), "Manual", "3.0 MiB", "postgresql", "volume shop-backup"],
  );
  assert.match(
    await kubectl("get", "dbb", "-n", namespace, "-o", "wide"),
    /^before-migration +shop +Succeeded +3\.0 MiB +\d+ .*Manual +17\.6 +volume shop-backup/m,
  );
  assert.match(await kubectl("get", "all", "-n", namespace), /databasebackup\.example\.com\/before-migration/);
  const owner = await kubectl(
    ...["get", "job", job, "-n", namespace, "-o", "jsonpath={.metadata.ownerReferences[0].kind}"],
  );
  assert.equal(owner, "CronJob");
  const { status: seen } = await readDatabase(platform.kubectl, "shop", namespace);
  assert.deepEqual([seen.lastBackup?.name, seen.lastBackup?.label], ["before-migration", labelOf(1)]);
  await assert.rejects(
    kubectl("patch", "dbb", "before-migration", "-n", namespace, "--type=merge", "-p", '{"spec":{"database":"a"}}'),
    /cannot be changed: create another DatabaseBackup/,
  );
});

test("the first backup, scheduled ones and those by hand are recorded", async () => {
  const [namespace] = await shop("automatic", { backup: { schedule: "* * * * *" } });
  await kubectl("create", "job", "by-hand", "-n", namespace, "--from=cronjob/shop-backup");
  await eventually(async () => {
    const all = await backupsIn(platform.kubectl, namespace);
    const triggers = new Set(all.map(({ status }) => status.trigger));
    assert.deepEqual([...triggers].sort(), ["Initial", "Manual", "Scheduled"]);
    for (const { metadata, status } of all) {
      assert.match(metadata.name, /^shop-\d{8}t\d{6}/);
      assert.ok(status.phase === "Succeeded" || status.trigger === "Scheduled", JSON.stringify(status));
    }
  }, minutes(3));
});

test("an operator that is killed while it begins backups leaves one Job for each, and its successor records them", async () => {
  const [namespace] = await shop("killed");
  const names = ["a", "b"];
  await withoutRoom(platform.kubectl, async () => {
    for (const name of names) await platform.kubectl.apply(databaseBackup(name, namespace, { database: "shop" }));
    await operator.kill();
    operator = await start();
    for (const [index, name] of names.entries()) {
      const { job } = await untilPhase(platform.kubectl, [namespace, name], "Running");
      await operator.kill();
      await endJob(platform.kubectl, [namespace, job ?? ""], reportOf(index + 1, 1));
      operator = await start();
      await untilPhase(platform.kubectl, [namespace, name], "Succeeded");
    }
  });
  const jobs = (await platform.kubectl.names("jobs", namespace)).filter((job) => job.startsWith("shop-backup-m"));
  assert.equal(jobs.length, 2, jobs.join());
});

test("what is kept reaches the programs without any Job being repeated, and the record of what retention removed goes", async () => {
  const [namespace] = await shop("kept");
  const uidOfFirst = (): Promise<string> =>
    kubectl("get", "job", "shop-backup-first", "-n", namespace, "-o", "jsonpath={.metadata.uid}");
  const before = await uidOfFirst();
  await take(namespace, "one", reportOf(1), true);
  await eventually(async () => {
    assert.equal(await keptIn(namespace), labelOf(1));
  }, minutes(1));
  await take(namespace, "two", reportOf(2, 2));
  await take(namespace, "three", reportOf(3, 3));
  await eventually(async () => {
    const names = (await backupsIn(platform.kubectl, namespace)).map(({ metadata }) => metadata.name);
    assert.deepEqual([names.includes("one"), names.includes("two"), names.includes("three")], [true, false, true]);
  }, minutes(1));
  await kubectl("delete", "dbb", "one", "-n", namespace);
  await eventually(async () => {
    assert.equal(await keptIn(namespace), "");
  }, minutes(1));
  assert.equal(await uidOfFirst(), before);
});

test("one waits and says for what, and a Job that is deleted has failed", async () => {
  const namespace = await makeNamespace(platform.kubectl, "waiting");
  await platform.kubectl.apply(databaseBackup("early", namespace, { database: "shop" }));
  assert.match((await untilPhase(platform.kubectl, [namespace, "early"], "Pending")).message ?? "", /no Database shop/);
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, backup: { enabled: false } }));
  await eventually(async () => {
    const { status } = await readBackup(platform.kubectl, namespace, "early");
    assert.match(status.message ?? "", /spec\.backup\.enabled of Database shop is false/);
  }, minutes(1));
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, backup: never }));
  await untilPhase(platform.kubectl, [namespace, "early"], "Succeeded");
  await withoutRoom(platform.kubectl, async () => {
    await platform.kubectl.apply(databaseBackup("lost", namespace, { database: "shop" }));
    const { job } = await untilPhase(platform.kubectl, [namespace, "lost"], "Running");
    await kubectl("delete", "job", job ?? "", "-n", namespace);
    assert.match((await untilPhase(platform.kubectl, [namespace, "lost"], "Failed")).message ?? "", /was gone before/);
  });
});

for (const [policy, stay] of [
  ["Retain", true],
  ["Snapshot", true],
  ["Delete", false],
] as const) {
  test(`under ${policy} the records of the backups ${stay ? "stay" : "go"} with their volume`, async () => {
    const place = await shop(`deleted-${policy.toLowerCase()}`, { deletionPolicy: policy });
    const [namespace] = place;
    await kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
    await untilGone(platform.kubectl, place, minutes(2));
    const left = await backupsIn(platform.kubectl, namespace);
    const triggers = left.map(({ status }) => `${status.trigger ?? ""} ${status.phase ?? ""}`).sort();
    const final = policy === "Snapshot" ? ["Final Succeeded"] : [];
    assert.deepEqual(triggers, stay ? [...final, "Initial Succeeded"] : []);
    await consistently(async () => {
      assert.equal((await backupsIn(platform.kubectl, namespace)).length, left.length);
    }, 2000);
  });
}

test("without the custom resource backups are taken and Databases deleted, and once it is installed it is found", async () => {
  await kubectl("delete", "crd", "databasebackups.example.com");
  const place = await shop("without", { deletionPolicy: "Snapshot" });
  await kubectl("delete", "database", "shop", "-n", place[0], "--wait=false");
  await untilGone(platform.kubectl, place, minutes(2));
  const [namespace] = await shop("again");
  await kubectl("apply", "-f", join(__dirname, "../../infra/crds/databasebackups.yaml"));
  await kubectl("wait", "--for=condition=Established", "crd/databasebackups.example.com", "--timeout=30s");
  await eventually(async () => {
    const [first] = await backupsIn(platform.kubectl, namespace);
    assert.equal(first?.status.trigger, "Initial");
  }, minutes(2));
});
