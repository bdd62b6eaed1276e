// MySQL whose backups go to object storage, encrypted: taken, cut off, restored by field and from the bucket alone, tried by drills, and what is left.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { z } from "zod";
import type { BackupStatus } from "../../../operator/api/backups/status";
import { backupsIn, databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { untilBackedUp, untilGone, untilReady } from "../../harness/database";
import { Drills } from "../../harness/drills";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { processesOf } from "../../harness/operator-pods";
import { askMysqlMember } from "../../harness/real-mysql";
import { sendSignal } from "../../harness/signal";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mysql-s3";
const name = "ledger";
const place = [namespace, name] as const;
const passphrase = "ledger-passphrase";
const home = `tests/${namespace}/${name}`;

const Pods = z.array(z.object({ metadata: z.object({ uid: z.string() }) }));

export const mysqlToObjectStorage = rotatingStory(namespace, 8, tell);

function tell(stage: Stage): void {
  let version: string;
  let storage: ObjectStorage;
  let drills: Drills;
  let good: BackupStatus = {};

  before(async () => {
    ({ version } = builtVersion(stage.platform, "mysql"));
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    drills = new Drills(stage.kubectl, place);
    await storage.replacePassphrase(passphrase, "correct horse");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });
  after(() => storage.stop());

  const apply = (database: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(database, namespace, { engine: "mysql", version, replicas: 1, storage: "2Gi", ...spec }),
    );
  const encryption = { secret: { name: passphrase } };
  const ledger = (backup: Record<string, unknown> = {}): Promise<string> =>
    apply(name, { backup: { destination: storage.destination, encryption, retention: 2, ...backup } });

  const ask = (sql: string, database = name): Promise<string> =>
    askMysqlMember(stage.kubectl, namespace, `${database}-0`, sql);
  const take = (backup: string, phase: "Succeeded" | "Running" = "Succeeded"): Promise<BackupStatus> =>
    stage.kubectl
      .apply(databaseBackup(backup, namespace, { database: name }))
      .then(() => untilPhase(stage.kubectl, [namespace, backup], phase));
  /** Names below a directory of its group. */
  const lying = (directory: string): Promise<string[]> =>
    readdir(storage.pathOf(`${home}/mysql/${good.cluster ?? ""}/${directory}`)).then((names) => names.sort());

  test("to begin with object storage restarts no member, and a backup is taken there at once", async () => {
    await apply(name, { backup: { enabled: false } });
    await untilReady(stage.kubectl, place, minutes(4));
    const uid = await uidOf(`${name}-0`);
    await ask("create table app.items (n int primary key); insert into app.items values (7)");
    await ledger();
    await untilBackedUp(stage.kubectl, place, minutes(4));
    assert.equal(await uidOf(`${name}-0`), uid);
    const claims = (await stage.kubectl.names("pvc", namespace)).sort();
    assert.deepEqual(claims, [`data-${name}-0`, `${name}-backup-staging`]);
    const [first] = await backupsIn(stage.kubectl, namespace);
    assert.equal(first?.status.location, `s3://backups/${home}`);
    assert.ok((first.status.storedSize ?? 0) > 0 && (first.status.storedSize ?? 0) < (first.status.size ?? 0));
  });

  const uidOf = (pod: string): Promise<string> =>
    stage.kubectl("get", "pod", pod, "-n", namespace, "-o", "jsonpath={.metadata.uid}");

  test("an attempt that is killed is made up for by the next, and nothing of it is a backup", async () => {
    const { job = "" } = await take("cut", "Running");
    const selector = `batch.kubernetes.io/job-name=${job}`;
    const pids = await eventually(async () => {
      const pods = Pods.parse(await stage.kubectl.list("pods", { namespace, selector }));
      const found = (await Promise.all(pods.map(({ metadata }) => processesOf(metadata)))).flat();
      assert.ok(found.length > 0, `Job ${job} runs nothing`);
      return found;
    }, minutes(2));
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    good = await untilPhase(stage.kubectl, [namespace, "cut"], "Succeeded");
    assert.ok((await lying("backups")).includes(good.label ?? ""));
  });

  test("the bucket shows nothing of what is in it", async () => {
    await ask("insert into app.items values (8)");
    good = await take("good");
    const [part = ""] = await lying(`data/${good.label ?? ""}`);
    const object = storage.pathOf(`${home}/mysql/${good.cluster ?? ""}/data/${good.label ?? ""}/${part}`);
    assert.equal((await readFile(object)).subarray(0, 4).toString(), "DBS1");
  });

  test("retention removes the oldest of the bucket, and their objects", async () => {
    await eventually(async () => {
      assert.equal((await lying("backups")).length, 2);
      assert.equal((await lying("data")).length, 2);
      const left = (await backupsIn(stage.kubectl, namespace)).filter(({ status }) => status.phase === "Succeeded");
      assert.equal(left.length, 2);
    }, minutes(1));
  });

  test("a new Database begins with it", async () => {
    await apply("again", { backup: { enabled: false }, restore: { backup: { name: "good" } } });
    await untilReady(stage.kubectl, [namespace, "again"], minutes(5));
    assert.equal(await ask("select group_concat(n) from app.items", "again"), "7,8");
    await stage.kubectl("delete", "database", "again", "-n", namespace, "--wait=false");
  });

  test("drills restore it, find a byte that flipped, and hold nothing against it while the storage is away", async () => {
    await drills.after("drill-good", "True", "BackupRestored");
    const directory = storage.pathOf(`${home}/mysql/${good.cluster ?? ""}/data/${good.label ?? ""}/00000000`);
    const whole = await readFile(directory);
    const changed = Buffer.from(whole);
    changed[1000] = (changed[1000] ?? 0) ^ 1;
    await writeFile(directory, changed);
    const message = await drills.after("drill-damaged", "False", "BackupDamaged");
    assert.match(message, /00000000 has other contents/);
    await writeFile(directory, whole);
    await drills.after("drill-mended", "True", "BackupRestored");
    await storage.halt();
    await drills.begin("drill-away");
    await drills.found("drill-away", "Unknown", "VerificationNotPossible");
    await storage.run();
    await drills.untilNoVolume();
  });

  test("another passphrase writes nothing beside what has the former one, and put right it counts for the next attempt", async () => {
    await storage.replacePassphrase(passphrase, "another one");
    const { job = "" } = await take("misfit", "Running");
    const selected = ["-l", `batch.kubernetes.io/job-name=${job}`, "--tail=-1"];
    await eventually(async () => {
      const said = await stage.kubectl("logs", "-n", namespace, ...selected);
      assert.match(said, /does not fit spec\.backup\.encryption/);
    }, minutes(3));
    assert.deepEqual((await lying("backups")).includes(good.label ?? ""), true);
    assert.equal((await lying("data")).length, 2);
    await storage.replacePassphrase(passphrase, "correct horse");
    good = await untilPhase(stage.kubectl, [namespace, "misfit"], "Succeeded");
  });

  test("the Database goes for good, the bucket stays, and another one begins with it alone", async () => {
    const left = await storage.digestOf(home);
    await stage.kubectl(
      "patch",
      "database",
      name,
      "-n",
      namespace,
      "--type=merge",
      "-p",
      '{"spec":{"deletionPolicy":"Delete"}}',
    );
    await stage.kubectl("delete", "database", name, "-n", namespace, "--wait=false");
    await untilGone(stage.kubectl, place, minutes(4));
    assert.equal(
      (await stage.kubectl.names("pvc", namespace)).some((claim) => claim.startsWith(name)),
      false,
    );
    assert.equal(await storage.digestOf(home), left);
    const s3 = { ...storage.destination.s3, prefix: home, encryption };
    await apply("phoenix", { backup: { enabled: false }, restore: { s3 } });
    await untilReady(stage.kubectl, [namespace, "phoenix"], minutes(5));
    assert.equal(await ask("select group_concat(n) from app.items", "phoenix"), "7,8");
    assert.equal(await storage.digestOf(home), left);
  });
}
