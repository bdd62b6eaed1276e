// PostgreSQL's backups on a real node, restored by drills: a good one, one with a byte that flipped, and one of which a query does not hold.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { backupsIn, databaseBackup, readBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { messageOf, untilCondition, untilReady, type DatabaseView } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { killPod } from "../../harness/pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { volumePod } from "../../harness/volume-pod";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "drill";
const name = "orders";
const place = [namespace, name] as const;

const Claims = z.array(
  z.object({
    metadata: z.object({
      name: z.string(),
      ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).default([]),
    }),
  }),
);
const Verified = z.object({
  status: z.object({
    lastVerifiedBackup: z.object({ name: z.string(), label: z.string(), recoverySeconds: z.number() }),
  }),
});
const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.object({ phase: z.string() }) }));

export const drill = story(namespace, (stage) => {
  rotating(
    "drill",
    () => {
      tell(stage);
    },
    4,
  );
});

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let label = "";

  const orders = (expect: string, sql = "SELECT count(*) FROM items"): unknown =>
    modestDatabase(name, namespace, {
      ...{ version: built.version, replicas: 1, storage: "2Gi" },
      backup: { verify: { queries: [{ name: "rows-are-there", sql, expect }] } },
    });

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await stage.kubectl.apply(orders("1000"));
    await untilReady(stage.kubectl, place, minutes(4));
    const client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    await client.ask("create table items (id int primary key); insert into items select generate_series(1, 1000)");
    await client.remove();
    await eventually(async () => {
      const [first] = await backupsIn(stage.kubectl, namespace);
      assert.equal(first?.status.phase, "Succeeded");
    }, minutes(3));
    await stage.kubectl.apply(databaseBackup("good", namespace, { database: name }));
    ({ label = "" } = await untilPhase(stage.kubectl, [namespace, "good"], "Succeeded"));
  });

  const begin = (job: string): Promise<string> =>
    stage.kubectl("create", "job", job, "-n", namespace, `--from=cronjob/${name}-verify`);

  /** Takes a drill, waits for what it finds, and removes its Job. */
  async function after(job: string, status: string, reason: string): Promise<DatabaseView> {
    await begin(job);
    const view = await untilCondition(stage.kubectl, place, { type: "BackupVerified", status, reason }, minutes(4));
    await stage.kubectl("delete", "job", job, "-n", namespace);
    return view;
  }

  const volumesOfDrills = async (): Promise<z.infer<typeof Claims>> =>
    Claims.parse(await stage.kubectl.list("pvc", { namespace })).filter(({ metadata }) =>
      metadata.ownerReferences.some(({ kind }) => kind === "Pod"),
    );

  const untilNoVolume = (): Promise<void> =>
    eventually(async () => {
      assert.deepEqual(await volumesOfDrills(), []);
      assert.deepEqual(await stage.kubectl.names("pvc", namespace), [`data-${name}-0`, `${name}-backup`]);
    }, minutes(1));

  const metric = async (pattern: RegExp): Promise<string | undefined> =>
    pattern.exec(await stage.operator.present.metrics())?.[1];

  test("the newest backup is restored, read and asked; how long that took is known, and its volume goes with the Job", async () => {
    const before = { type: "BackupVerified", status: "Unknown", reason: "NotYetVerified" };
    await untilCondition(stage.kubectl, place, before, minutes(1));
    await begin("drill-by-hand");
    const passed = { type: "BackupVerified", status: "True", reason: "BackupRestored" };
    await untilCondition(stage.kubectl, place, passed, minutes(4));
    const { status } = Verified.parse(await stage.kubectl.find("database", name, namespace));
    const { recoverySeconds, ...verified } = status.lastVerifiedBackup;
    assert.deepEqual(verified, { name: "good", label });
    assert.ok(recoverySeconds > 0 && recoverySeconds < 120, String(recoverySeconds));
    await eventually(async () => {
      const { status: backup } = await readBackup(stage.kubectl, namespace, "good");
      assert.deepEqual([backup.verification?.succeeded, backup.verification?.seconds], [true, recoverySeconds]);
      assert.ok(backup.verifiedAt !== undefined);
    }, minutes(1));
    assert.equal(
      await metric(/^database_status_recovery_seconds\{.*name="orders".*\} (\d+)$/m),
      String(recoverySeconds),
    );
    assert.equal((await volumesOfDrills()).length, 1, "for an hour its log can be read");
    // as after that hour
    const patch = JSON.stringify({ spec: { ttlSecondsAfterFinished: 0 } });
    await stage.kubectl("patch", "job", "drill-by-hand", "-n", namespace, "--type=merge", "-p", patch);
    await untilNoVolume();
  });

  test("a drill whose pod is killed says nothing of the backup, is not repeated, and leaves no volume", async () => {
    // one that would not end before it is killed
    await stage.kubectl.apply(orders("1000", "SELECT count(*) FROM items, pg_sleep(300)"));
    await untilReady(stage.kubectl, place, minutes(2));
    await begin("drill-killed");
    const selector = "batch.kubernetes.io/job-name=drill-killed";
    const [pod] = await eventually(async () => {
      const pods = Pods.parse(await stage.kubectl.list("pods", { namespace, selector }));
      assert.equal(pods[0]?.status.phase, "Running");
      return pods;
    }, minutes(2));
    await killPod(stage.kubectl, namespace, pod?.metadata.name ?? "");
    await stage.operator.kill();
    await stage.operator.start();
    const unknown = { type: "BackupVerified", status: "Unknown", reason: "VerificationNotPossible" };
    await untilCondition(stage.kubectl, place, unknown, minutes(2));
    await untilNoVolume();
    const { status } = Verified.parse(await stage.kubectl.find("database", name, namespace));
    assert.equal(status.lastVerifiedBackup.label, label, "what was verified before stays so");
    await stage.kubectl("delete", "job", "drill-killed", "-n", namespace);
    await stage.kubectl.apply(orders("1000"));
    await untilReady(stage.kubectl, place, minutes(2));
  });

  test("a byte that flipped in the backup is found and named, by the Database, the backup and the alert's metric", async () => {
    await flip();
    const view = await after("drill-damaged", "False", "BackupDamaged");
    assert.match(messageOf(view, "BackupVerified"), new RegExp(`^${label}: .*checksum mismatch for file "base/`));
    await eventually(async () => {
      const { status: backup } = await readBackup(stage.kubectl, namespace, "good");
      assert.deepEqual([backup.verification?.succeeded, backup.verifiedAt], [false, undefined]);
    }, minutes(1));
    const series = /^database_status_condition\{.*type="BackupVerified",status="False",reason="(\w+)"\} 1$/m;
    assert.equal(await metric(series), "BackupDamaged");
    await flip();
    await after("drill-mended", "True", "BackupRestored");
  });

  test("a query that does not hold is named, and what it returned is not told", async () => {
    await stage.kubectl.apply(orders("31337"));
    await untilReady(stage.kubectl, place, minutes(2));
    const view = await after("drill-asked", "False", "QueryFailed");
    const message = messageOf(view, "BackupVerified");
    assert.match(message, /query rows-are-there did not return what it is to/);
    assert.doesNotMatch(message, /1000|31337/);
    await stage.kubectl.apply(orders("1000"));
    await untilReady(stage.kubectl, place, minutes(2));
    await after("drill-right", "True", "BackupRestored");
    await untilNoVolume();
  });

  /** A bit in the middle of the backup's largest file; twice makes it as it was. */
  async function flip(): Promise<void> {
    const script = `
import os, sys
files = [os.path.join(root, name) for root, _, names in os.walk(sys.argv[1]) for name in names]
largest = max(sorted(files), key=os.path.getsize)
with open(largest, "r+b") as file:
    file.seek(os.path.getsize(largest) // 2)
    byte = file.read(1)[0]
    file.seek(-1, os.SEEK_CUR)
    file.write(bytes([byte ^ 1]))
    os.fsync(file.fileno())
`;
    const command = ["python3", "-c", script, `/backup/${label}/base`];
    const claims = { backup: `${name}-backup` };
    await stage.kubectl.apply(volumePod({ namespace, name: "flip", image: built.image, command, claims }));
    const succeeded = "--for=jsonpath={.status.phase}=Succeeded";
    await stage.kubectl("wait", "pod/flip", "-n", namespace, succeeded, "--timeout=120s");
    await stage.kubectl("delete", "pod", "flip", "-n", namespace);
  }
}
