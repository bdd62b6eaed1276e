// PostgreSQL whose backups go to object storage, one of them cut off, where it goes away: after a last backup, and with its namespace; and what came
// back in between.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { backupsIn, databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { messageOf, untilBackedUp, untilCondition, untilGone, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { processesOf } from "../../harness/operator-pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { sendSignal } from "../../harness/signal";
import { storedBackups, type StoredBackups } from "../../harness/stored-backups";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "deletion-s3";
const name = "orders";
const place = [namespace, name] as const;

const Pods = z.array(z.object({ metadata: z.object({ uid: z.string() }) }));

export const deletionWithObjectStorage = rotatingStory("deletion-s3", 6, tell);

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  let client: PostgresqlClient;
  /** The system identifier of the first cluster, and all that it left in the bucket. */
  let [former, left] = ["", ""];

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
  });
  after(() => storage.stop());

  const apply = (): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, {
        ...{ version: built.version, replicas: 1, storage: "2Gi", deletionPolicy: "Snapshot" },
        backup: { destination: storage.destination, pointInTime: { everySeconds: 10 }, retention: 1 },
      }),
    );

  const lying = (): Promise<StoredBackups> =>
    storedBackups(storage.pathOf(`tests/${namespace}/${name}/backup/${former}`));

  const formerPlaces = (): string[] =>
    ["archive", "backup"].map((part) => `tests/${namespace}/${name}/${part}/${former}`);

  test("a Database has a backup in object storage, and rows that came later", async () => {
    await apply();
    await untilReady(stage.kubectl, place, minutes(4));
    await untilBackedUp(stage.kubectl, place, minutes(4));
    await client.ask("create table items (id int primary key); insert into items values (7)");
    // a backup takes its time for that
    await client.ask("create table bulk as select repeat(md5(g::text), 8) from generate_series(1, 200000) g");
    const [first] = await backupsIn(stage.kubectl, namespace);
    former = first?.status.cluster ?? "";
    assert.match(former, /^\d+$/);
  });

  test("a backup that is killed while it copies is completed by another attempt, and no part of it is left in the bucket", async () => {
    await stage.kubectl.apply(databaseBackup("cut", namespace, { database: name }));
    const { job = "" } = await untilPhase(stage.kubectl, [namespace, "cut"], "Running");
    const part = await eventually(async () => {
      const [found] = (await lying()).parts;
      assert.ok(found !== undefined);
      return found;
    }, minutes(2));
    const selector = `batch.kubernetes.io/job-name=${job}`;
    const pods = Pods.parse(await stage.kubectl.list("pods", { namespace, selector }));
    const pids = (await Promise.all(pods.map(({ metadata }) => processesOf(metadata)))).flat();
    assert.ok(pids.length > 0, `Job ${job} runs nothing`);
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    assert.deepEqual((await lying()).parts, [part], "it was cut off");
    const { label = "" } = await untilPhase(stage.kubectl, [namespace, "cut"], "Succeeded");
    const { complete, parts } = await lying();
    assert.deepEqual([complete.includes(label), parts], [true, []]);
  });

  test("while the object storage is away, a deletion under Snapshot destroys nothing, and says what it waits for", async () => {
    await storage.halt();
    await stage.kubectl("delete", "database", name, "-n", namespace, "--wait=false");
    const taking = { type: "Reconciling", status: "True", reason: "TakingFinalBackup" };
    await eventually(async () => {
      const view = await untilCondition(stage.kubectl, place, taking, minutes(1));
      assert.match(messageOf(view, "Reconciling"), /Job orders-backup-final takes a last backup \(.+\)/);
    }, minutes(4));
    assert.equal(await client.ask("select id from items"), "7");
    assert.deepEqual(await stage.kubectl.names("pvc", namespace), [`data-${name}-0`]);
  });

  test("once it is back the last backup is taken, and only then the data go", async () => {
    await storage.run();
    await untilGone(stage.kubectl, place, minutes(5));
    const backups = await backupsIn(stage.kubectl, namespace);
    const last = backups.find(({ status }) => status.trigger === "Final");
    assert.equal(last?.status.phase, "Succeeded", JSON.stringify(backups));
    const { location, cluster, label = "", size = 0, storedSize = 0 } = last.status;
    assert.deepEqual([location, cluster], [`s3://backups/tests/${namespace}/${name}`, former]);
    assert.ok(storedSize > 0 && storedSize < size, `${storedSize} of ${size}`);
    const { complete, parts } = await lying();
    assert.deepEqual([complete.at(-1), parts], [label, []]);
    assert.deepEqual(await stage.kubectl.names("pvc", namespace), []);
    left = await storage.digestOf(...formerPlaces());
  });

  test("over no volumes the same name is another cluster, whose retention removes nothing of the former", async () => {
    await apply();
    await untilReady(stage.kubectl, place, minutes(4));
    await untilBackedUp(stage.kubectl, place, minutes(4));
    // one more than retention has
    await stage.kubectl.apply(databaseBackup("second", namespace, { database: name }));
    const { cluster } = await untilPhase(stage.kubectl, [namespace, "second"], "Succeeded");
    assert.notEqual(cluster, former);
    assert.equal(await storage.digestOf(...formerPlaces()), left);
    const last = (await backupsIn(stage.kubectl, namespace)).find(({ status }) => status.trigger === "Final");
    assert.equal(last?.status.phase, "Succeeded", "that of the former one can still be restored");
  });

  test("its namespace is deleted: that does not hang, and the bucket stays as it is", async () => {
    // Kubernetes takes pods first, and looks again only after about half of the time that they may take to end, which is ten minutes
    await stage.kubectl("delete", "namespace", namespace, "--timeout=480s");
    assert.equal(await storage.digestOf(...formerPlaces()), left);
    const digest = await storage.digestOf(`tests/${namespace}/${name}/backup`);
    assert.match(digest, /^[1-9]/);
  });
}
