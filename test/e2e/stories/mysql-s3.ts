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
const rows = "select group_concat(n order by n) from app.items";

const Pods = z.array(z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) }));

/** Missing once no pod names it. */
const Claim = z.object({ metadata: z.object({ deletionTimestamp: z.string().optional() }) }).optional();

export const mysqlToObjectStorage = rotatingStory("mysql-s3", 8, tell);

function tell(stage: Stage): void {
  let version: string;
  let storage: ObjectStorage;
  let drills: Drills;
  /** Of all its backups. */
  let group = "";
  /** An attempt that was killed, and what followed it. */
  let [cut, good, newest] = ["", "", ""];

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

  const ask = (sql: string, database = name): Promise<string> =>
    askMysqlMember(stage.kubectl, namespace, `${database}-0`, sql);
  const uidOf = (pod: string): Promise<string> =>
    stage.kubectl("get", "pod", pod, "-n", namespace, "-o", "jsonpath={.metadata.uid}");
  const podsOf = async (job: string): Promise<z.infer<typeof Pods>> =>
    Pods.parse(await stage.kubectl.list("pods", { namespace, selector: `batch.kubernetes.io/job-name=${job}` }));
  const saidBy = (job: string): Promise<string> =>
    stage.kubectl("logs", "-n", namespace, "-l", `batch.kubernetes.io/job-name=${job}`, "--tail=-1");

  /** Asks for one, and returns its Job. */
  async function begin(backup: string): Promise<string> {
    await stage.kubectl.apply(databaseBackup(backup, namespace, { database: name }));
    const { job = "" } = await untilPhase(stage.kubectl, [namespace, backup], "Running");
    return job;
  }
  const ended = (backup: string): Promise<BackupStatus> => untilPhase(stage.kubectl, [namespace, backup], "Succeeded");

  const pathOf = (path: string): string => storage.pathOf(`${home}/mysql/${group}/${path}`);
  /** Labels of what is complete in the bucket, or of all that lies there. */
  const lying = (directory: "backups" | "data"): Promise<string[]> =>
    readdir(pathOf(directory)).then((names) => names.sort());

  /** Changes a byte of a backup; twice makes it as it was. */
  async function flip(label: string): Promise<void> {
    const part = pathOf(`data/${label}/00000000`);
    const object = await readFile(part);
    object[1000] = (object[1000] ?? 0) ^ 1;
    await writeFile(part, object);
  }

  test("to begin with object storage restarts no member, and a backup is taken there at once", async () => {
    // with a replica, which is copied from: without one each attempt waits a minute for it
    await apply(name, { replicas: 2, backup: { enabled: false } });
    await untilReady(stage.kubectl, place, minutes(5));
    const uid = await uidOf(`${name}-0`);
    await ask("create table app.items (n int primary key); insert into app.items values (7)");
    await apply(name, { replicas: 2, backup: { destination: storage.destination, encryption, retention: 2 } });
    await untilBackedUp(stage.kubectl, place, minutes(4));
    assert.equal(await uidOf(`${name}-0`), uid);
    const claims = [...[0, 1].map((ordinal) => `data-${name}-${ordinal}`), `${name}-backup-staging`];
    assert.deepEqual(await stage.kubectl.names("pvc", namespace), claims);
    const [first] = await backupsIn(stage.kubectl, namespace);
    const { location, cluster = "", member, size = 0, storedSize = 0 } = first?.status ?? {};
    group = cluster;
    assert.deepEqual([location, member], [`s3://backups/${home}`, `${name}-1`]);
    assert.ok(storedSize > 0 && storedSize < size, `${storedSize} of ${size}`);
  });

  test("a backup that is killed while it is sent, and the operator with it, is no backup, and the next attempt makes up for it", async () => {
    // several parts, which cannot be compressed
    await ask("create table app.bulk (n int primary key auto_increment, t varbinary(1000))");
    const thousands = "with recursive r as (select 1 n union all select n + 1 from r where n < 1000)";
    for (let batch = 0; batch < 4; batch++)
      await ask(
        `insert into app.bulk (t) ${thousands} select random_bytes(1000) from r one join r other on other.n <= 15`,
      );
    const [first = ""] = await lying("backups");
    const job = await begin("cut");
    const [pod] = await eventually(async () => {
      const pods = await podsOf(job);
      assert.equal(pods.length, 1, `Job ${job} has ${pods.length} pods`);
      return pods;
    }, minutes(1));
    cut = await eventually(
      async () => {
        const found = (await lying("data")).find((label) => label !== first);
        assert.ok(found !== undefined, "nothing is sent yet");
        return found;
      },
      { ...minutes(3), everyMs: 20 },
    );
    const pids = pod === undefined ? [] : await processesOf(pod.metadata);
    assert.ok(pids.length > 0, `Job ${job} runs nothing`);
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    await stage.operator.kill();
    assert.deepEqual(await lying("backups"), [first], "it was cut off");
    await stage.operator.start();
    const { label = "", location } = await ended("cut");
    good = label;
    assert.equal(location, `s3://backups/${home}`);
    assert.deepEqual(await lying("backups"), [first, good]);
    // what runs still may be at it: a later attempt removes it
    assert.deepEqual(await lying("data"), [first, cut, good]);
  });

  test("the bucket shows nothing of what is in it", async () => {
    for (const object of [`data/${good}/00000000`, `data/${good}/contents`, `backups/${good}`])
      assert.equal((await readFile(pathOf(object))).subarray(0, 4).toString(), "DBS1", object);
  });

  test("another passphrase writes nothing beside what has the former one, and put right it counts for the next attempt; then the oldest goes", async () => {
    await ask("insert into app.items values (8)");
    const before = await storage.digestOf(home);
    await storage.replacePassphrase(passphrase, "another one");
    const job = await begin("newest");
    await eventually(async () => {
      assert.match(await saidBy(job), /does not fit spec\.backup\.encryption/);
    }, minutes(3));
    assert.equal(await storage.digestOf(home), before);
    await storage.replacePassphrase(passphrase, "correct horse");
    newest = (await ended("newest")).label ?? "";
    assert.deepEqual(await lying("backups"), [good, newest]);
    assert.deepEqual(await lying("data"), [cut, good, newest]);
    await eventually(async () => {
      const left = (await backupsIn(stage.kubectl, namespace)).filter(({ status }) => status.phase === "Succeeded");
      assert.deepEqual(left.map(({ status }) => status.label).sort(), [good, newest]);
    }, minutes(1));
  });

  test("a new Database begins with one of them, although its pod and the operator are killed", async () => {
    await apply("again", { backup: { enabled: false }, restore: { backup: { name: "newest" } } });
    const pod = await eventually(async () => {
      const [found] = await podsOf("again-restore");
      assert.ok(found !== undefined);
      return found.metadata.name;
    }, minutes(1));
    await stage.kubectl("delete", "pod", pod, "-n", namespace, "--force", "--grace-period=0");
    await stage.operator.kill();
    await stage.operator.start();
    await untilReady(stage.kubectl, [namespace, "again"], minutes(5));
    assert.equal(await ask(rows, "again"), "7,8");
    assert.equal(await ask("select count(*) from app.bulk", "again"), "60000");
    await stage.kubectl("delete", "database", "again", "-n", namespace, "--wait=false");
  });

  test("drills restore it, find a byte that flipped, and hold nothing against it where the storage is away, or their pod is killed", async () => {
    await drills.after("drill-good", "True", "BackupRestored");
    assert.equal((await drills.verified()).label, newest);
    await flip(newest);
    const message = await drills.after("drill-damaged", "False", "BackupDamaged");
    assert.match(message, /00000000 has other contents/);
    await flip(newest);
    await drills.after("drill-mended", "True", "BackupRestored");
    await storage.halt();
    // it waits for the storage
    await drills.begin("drill-killed");
    await drills.kill("drill-killed", "Running");
    await drills.found("drill-killed", "Unknown", "VerificationNotPossible");
    await drills.after("drill-away", "Unknown", "VerificationNotPossible");
    await storage.run();
    await drills.untilNoVolume();
  });

  test("backups that move to a volume leave the other one behind, although pods of ended Jobs still name it", async () => {
    const staging = `${name}-backup-staging`;
    await apply(name, { replicas: 2, backup: { destination: { volume: { size: "2Gi" } } } });
    await untilReady(stage.kubectl, place, minutes(3));
    await eventually(async () => {
      const claim = Claim.parse(await stage.kubectl.find("pvc", staging, namespace));
      assert.ok(claim === undefined || claim.metadata.deletionTimestamp !== undefined, `${staging} is kept`);
    }, minutes(1));
    const claims = await stage.kubectl.names("pvc", namespace);
    assert.ok(claims.includes(`${name}-backup`));
  });

  test("the Database goes for good, the bucket stays, and others begin with it alone: where the newest is damaged, with the one before", async () => {
    const policy = '{"spec":{"deletionPolicy":"Delete"}}';
    await stage.kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", policy);
    await flip(newest);
    const left = await storage.digestOf(home);
    await stage.kubectl("delete", "database", name, "-n", namespace, "--wait=false");
    await untilGone(stage.kubectl, place, minutes(4));
    await eventually(async () => {
      const claims = await stage.kubectl.names("pvc", namespace);
      assert.deepEqual(
        claims.filter((claim) => claim.includes(name)),
        [],
      );
    }, minutes(1));
    const s3 = { ...storage.destination.s3, prefix: home, encryption };
    await apply("phoenix", { backup: { enabled: false }, restore: { s3 } });
    await eventually(async () => {
      const said = await saidBy("phoenix-restore");
      assert.match(said, new RegExp(`${newest} is damaged: .*00000000 .*, by restore\\.s3\\.label .*: ${good}`));
    }, minutes(3));
    await stage.kubectl("delete", "database", "phoenix", "-n", namespace, "--wait=false");
    await apply("older", { backup: { enabled: false }, restore: { s3: { ...s3, label: good } } });
    await untilReady(stage.kubectl, [namespace, "older"], minutes(5));
    assert.equal(await ask(rows, "older"), "7");
    assert.equal(await storage.digestOf(home), left);
  });
}
