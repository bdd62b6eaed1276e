// A new MongoDB Database with the data of a backup: documents and indexes of another one, passwords of its own. The server is FerretDB.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import type { MongoClient } from "mongodb";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, untilCondition, untilGone, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { valueOf, withClient } from "../../harness/real-mongodb";
import { volumePod } from "../../harness/volume-pod";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mongodb-restore";

export const mongodbRestore = rotatingStory("mongodb-restore", 7, tell);

const stored = 5_000;

function tell(stage: Stage): void {
  let version: string;
  let image: string;
  /** Numbers of documents that were acknowledged before the backup was asked for. */
  let acknowledged = 0;
  let label = "";

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "mongodb"));
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, { engine: "mongodb", version, replicas: 1, storage: "2Gi", ...spec }),
    );

  const uriOf = (name: string): Promise<string> => valueOf(stage.kubectl, `${name}-credentials`, namespace, "uri");

  const asApplication = async <T>(name: string, work: (client: MongoClient) => Promise<T>): Promise<T> =>
    withClient({ kubectl: stage.kubectl, namespace, uri: await uriOf(name) }, work);

  const count = (name: string): Promise<number> =>
    asApplication(name, (client) => client.db().collection("acked").countDocuments());

  const podsOf = async (job: string): Promise<string[]> => {
    const selected = ["-l", `batch.kubernetes.io/job-name=${job}`, "-o", "name"];
    return (await stage.kubectl("get", "pods", "-n", namespace, ...selected)).split("\n").filter((pod) => pod !== "");
  };

  const untilPodOf = (job: string, other: readonly string[] = []): Promise<string> =>
    eventually(async () => {
      const found = (await podsOf(job)).find((pod) => !other.includes(pod));
      assert.ok(found !== undefined);
      return found;
    }, minutes(1));

  test("a backup of a Database that is written to says that it is not of one moment", async () => {
    await apply("ledger");
    await untilReady(stage.kubectl, [namespace, "ledger"], minutes(4));
    await asApplication("ledger", async (client) => {
      const acked = client.db().collection("acked");
      await acked.createIndex({ n: 1 }, { unique: true }, {});
      await acked.insertMany(Array.from({ length: stored }, (_, n) => ({ n, text: "x".repeat(200) })));
      await client.db("other").collection("notes").insertOne({ note: "of another database" });
      acknowledged = stored;
      await stage.kubectl.apply(databaseBackup("mine", namespace, { database: "ledger", keep: true }));
      const ended = new AbortController();
      const writing = (async () => {
        for (let n = stored; !ended.signal.aborted; n++) await acked.insertOne({ n });
      })();
      try {
        const status = await untilPhase(stage.kubectl, [namespace, "mine"], "Succeeded");
        ({ label = "" } = status);
        assert.equal(status.consistency, "Torn");
        assert.match(status.message ?? "", /complete and verified.*; not of one moment/);
      } finally {
        ended.abort();
        await writing;
      }
      await acked.deleteMany({ n: { $gt: 2 } });
    });
  });

  test("to a moment none is restored, and no claim is made for it", async () => {
    const restore = { from: { name: "ledger" }, pointInTime: "2026-11-25T08:34:00Z" };
    await assert.rejects(apply("never", { restore }), /pointInTime for PostgreSQL and MySQL/);
    assert.equal(await stage.kubectl.find("pvc", "data-never-0", namespace), undefined);
  });

  test("a Database begins with it, although its pod, its Job and the operator are killed", async () => {
    await apply("again", { restore: { backup: { name: "mine" } } });
    const pod = await untilPodOf("again-restore");
    await stage.kubectl("delete", pod, "-n", namespace, "--force", "--grace-period=0");
    await stage.operator.kill();
    await untilPodOf("again-restore", [pod]);
    await stage.kubectl("delete", "job", "again-restore", "-n", namespace, "--ignore-not-found");
    await stage.operator.start();
    await untilReady(stage.kubectl, [namespace, "again"], minutes(4));
    const from = ["-o", "jsonpath={.status.restoredFrom.backup} {.status.restoredFrom.label}"];
    assert.equal(await stage.kubectl("get", "database", "again", "-n", namespace, ...from), `mine ${label}`);
  });

  test("it has documents and indexes, passwords of its own, and a backup; the other one is as it was", async () => {
    await asApplication("again", async (client) => {
      const acked = client.db().collection("acked");
      const there = new Set((await acked.find().toArray()).map((one) => Number(one["n"])));
      const lost = Array.from({ length: acknowledged }, (_, n) => n).filter((n) => !there.has(n));
      assert.deepEqual(lost, []);
      await assert.rejects(acked.insertOne({ n: 1 }), /duplicate key/);
      assert.equal(await client.db("other").collection("notes").countDocuments(), 1);
      await acked.insertOne({ n: 1_000_000 });
    });
    assert.equal(await count("ledger"), 3, "what the backup was taken of stays as it is");
    const [host = ""] = /@[^/]+/.exec(await uriOf("again")) ?? [];
    const strange = (await uriOf("ledger")).replace(/@[^/]+/, host).replace("replicaSet=ledger", "replicaSet=again");
    const asking = withClient({ kubectl: stage.kubectl, namespace, uri: strange }, (client) =>
      client.db().collection("acked").countDocuments(),
    );
    await assert.rejects(asking, /Authentication failed/);
    await stage.kubectl.apply(databaseBackup("of-again", namespace, { database: "again" }));
    await untilPhase(stage.kubectl, [namespace, "of-again"], "Succeeded");
  });

  test("the newest backup of a Database that is gone restores it under its name, once nothing of its set is left", async () => {
    const labels = "app=database,database=again,app.kubernetes.io/component=database";
    await stage.kubectl("delete", "database", "again", "-n", namespace, "--timeout=180s");
    await untilGone(stage.kubectl, [namespace, "again"]);
    await stage.kubectl("delete", "pvc", "-n", namespace, "-l", labels);
    await apply("again", { deletionPolicy: "Delete", restore: { from: { name: "again" } } });
    const refused = { type: "Stalled", status: "True", reason: "RestoreRefused" };
    await untilCondition(stage.kubectl, [namespace, "again"], refused, minutes(1));
    assert.equal(await stage.kubectl.find("pvc", "data-again-0", namespace), undefined);
    await stage.kubectl("delete", "configmap", "again-replica-set", "-n", namespace);
    await untilReady(stage.kubectl, [namespace, "again"], minutes(4));
    assert.equal(
      await asApplication("again", (client) => client.db().collection("acked").countDocuments({ n: 1_000_000 })),
      1,
    );
  });

  test("where nothing but the volume tells of backups, the newest of it is restored under any name", async () => {
    // a Job that took one tells of it as long as it is there
    const jobs = (await stage.kubectl.names("job", namespace)).filter((job) => job.startsWith("ledger-backup-m"));
    await stage.kubectl("delete", "job", ...jobs, "-n", namespace);
    await stage.kubectl("delete", "dbb", "--all", "-n", namespace);
    await apply("copy", { deletionPolicy: "Delete", restore: { volume: { claim: { name: "ledger-backup" } } } });
    await untilReady(stage.kubectl, [namespace, "copy"], minutes(4));
    const from = ["-o", "jsonpath={.status.restoredFrom}"];
    const told = await stage.kubectl("get", "database", "copy", "-n", namespace, ...from);
    assert.deepEqual(JSON.parse(told), { location: "volume ledger-backup" });
    const ask = (client: MongoClient): Promise<number> => client.db().collection("acked").countDocuments();
    assert.ok((await asApplication("copy", ask)) >= acknowledged);
    await stage.kubectl.apply(databaseBackup("later", namespace, { database: "ledger" }));
    await untilPhase(stage.kubectl, [namespace, "later"], "Succeeded");
    await eventually(async () => {
      const found = await stage.kubectl("get", "dbb", "-n", namespace, "-o", "jsonpath={.items[*].status.label}");
      assert.ok(found.split(" ").includes(label), "what lies there has an object again");
    });
  });

  test("an archive that was cut off is refused with that reason, and no member begins without data", async () => {
    const archive = `/backup/${label}/dump.archive.gz`;
    const command = ["sh", "-euc", `size=$(stat -c %s ${archive}); truncate -s $((size / 2)) ${archive}`];
    await stage.kubectl.apply(
      volumePod({ namespace, name: "cut", image, command, claims: { backup: "ledger-backup" } }),
    );
    const succeeded = "--for=jsonpath={.status.phase}=Succeeded";
    await stage.kubectl("wait", "pod/cut", "-n", namespace, succeeded, "--timeout=120s");
    const volume = { claim: { name: "ledger-backup" }, label };
    await apply("broken", { deletionPolicy: "Delete", restore: { volume } });
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "broken"], failed, minutes(4));
    assert.match(messageOf(view, "Stalled"), new RegExp(`${label} is damaged`));
    assert.equal(await stage.kubectl.find("pod", "broken-0", namespace), undefined);
  });
}
