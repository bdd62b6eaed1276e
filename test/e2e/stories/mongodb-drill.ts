// MongoDB's backups on a real node, loaded by drills: a good one, and one with a byte that flipped. The server is FerretDB.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { databaseBackup, readBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { untilCondition, untilReady } from "../../harness/database";
import { Drills, flipOnVolume, type OfBackups } from "../../harness/drills";
import { eventually, minutes } from "../../harness/eventually";
import { fillFirst, reapply, untilGrown } from "../../harness/grown-volumes";
import { valueOf, withClient } from "../../harness/real-mongodb";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mongodb-drill";
const name = "ledger";
const place = [namespace, name] as const;

export const mongodbDrill = rotatingStory("mongodb-drill", 5, tell);

function tell(stage: Stage): void {
  let where: OfBackups;
  let drills: Drills;
  let version = "";
  let label = "";

  const ledger = (backup: Record<string, unknown> = {}, more: Record<string, unknown> = {}): unknown =>
    modestDatabase(name, namespace, { engine: "mongodb", version, replicas: 1, storage: "2Gi", backup, ...more });

  before(async () => {
    const built = builtVersion(stage.platform, "mongodb");
    ({ version } = built);
    where = { namespace, database: name, image: built.image };
    drills = new Drills(stage.kubectl, place);
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await stage.kubectl.apply(ledger());
    await untilReady(stage.kubectl, place, minutes(4));
    const uri = await valueOf(stage.kubectl, `${name}-credentials`, namespace, "uri");
    await withClient({ kubectl: stage.kubectl, namespace, uri }, async (client) => {
      const items = client.db().collection("items");
      await items.createIndex({ n: 1 }, { unique: true }, {});
      await items.insertMany(Array.from({ length: 5_000 }, (_, n) => ({ n, text: "x".repeat(200) })));
      await client.db("other").collection("notes").insertOne({ note: "of another database" });
    });
    await stage.kubectl.apply(databaseBackup("good", namespace, { database: name }));
    ({ label = "" } = await untilPhase(stage.kubectl, [namespace, "good"], "Succeeded"));
  });

  test("the newest backup is loaded and compared; how long that took is known, and its volume goes with the Job", async () => {
    await drills.after("drill-good", "True", "BackupRestored");
    const { recoverySeconds, ...verified } = await drills.verified();
    assert.deepEqual(verified, { name: "good", label });
    assert.ok(recoverySeconds > 0 && recoverySeconds < 120, String(recoverySeconds));
    await eventually(async () => {
      const { status } = await readBackup(stage.kubectl, namespace, "good");
      assert.equal(status.verification?.succeeded, true);
    }, minutes(1));
    await drills.untilNoVolume();
  });

  test("a drill without room, one whose pod is killed, and one whose Job is deleted say nothing, and leave no volume", async () => {
    await drills.beginCramped("drill-cramped", 8);
    const message = await drills.found("drill-cramped", "Unknown", "VerificationNotPossible");
    assert.match(message, /write a larger storage/);
    await drills.begin("drill-killed");
    await drills.kill("drill-killed");
    await stage.operator.kill();
    await stage.operator.start();
    await drills.found("drill-killed", "Unknown", "VerificationNotPossible");
    await drills.begin("drill-removed");
    await stage.kubectl("delete", "job", "drill-removed", "-n", namespace);
    await drills.untilNoVolume();
    assert.equal((await drills.verified()).label, label, "what was verified before stays so");
  });

  test("a byte that flipped in the backup is found", async () => {
    await flipOnVolume(stage.kubectl, where, label);
    const message = await drills.after("drill-damaged", "False", "BackupDamaged");
    assert.match(message, new RegExp(`^${label}: `));
    await flipOnVolume(stage.kubectl, where, label);
    await drills.after("drill-mended", "True", "BackupRestored");
    await drills.untilNoVolume();
  });

  test("queries in SQL are refused at the door, which says of what engines they are", async () => {
    const verify = { queries: [{ name: "rows-are-there", sql: "SELECT 1" }] };
    await assert.rejects(stage.kubectl.apply(ledger({ verify })), /queries of restore drills are SQL, for PostgreSQL/);
  });

  test("its volume grows, and with the spec of before, applied again, it does not shrink, restart, or cease to be Ready", async () => {
    const why = "what a member says of its volume is why its operator runs";
    stage.platform.witness.disregard(namespace, why, ["quiet"]);
    const volumes = { namespace, database: name, members: 1 };
    const storageAutoGrow = { maxSize: "3Gi" };
    await stage.kubectl.apply(ledger({}, { storageAutoGrow }));
    await untilReady(stage.kubectl, place, minutes(2));
    await fillFirst(stage.kubectl, volumes, { container: "mongodb", mount: "/data/db", percent: 85 });
    await untilGrown(stage.kubectl, volumes, "3Gi");
    await untilCondition(stage.kubectl, place, { type: "StorageReady", status: "True" }, minutes(2));
    await untilReady(stage.kubectl, place, minutes(2));
    await reapply(stage.kubectl, volumes, ledger({ retention: 5 }, { storageAutoGrow }), "3Gi");
  });
}
