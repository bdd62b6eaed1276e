import assert from "node:assert/strict";
import test from "node:test";
import { engineNames } from "../contract/engines";
import { queriesFile } from "../contract/verification-report";
import type { DatabaseOptions } from "./args";
import { backupPodOf, besideDrills, keptBackupsOf } from "./backup";
import { engineOf } from "./engines/available";
import { onNodeOf } from "./job";
import { settingsOf, type Settings } from "./settings";
import { drillCronJobOf, drillPodOf, drillsOf, weeklyOf } from "./verification";

const of = (options: Partial<DatabaseOptions> = {}): Settings =>
  settingsOf("orders", { namespace: "shop", engine: "postgresql", version: "17.12", image: "i", ...options });
const once = { schedule: "0 0 * * 0", timeoutMinutes: 1 };
const s3 = { bucket: "backups", endpoint: "https://s3.example.com", credentials: "s3" };

test("drills take place where there are backups, of every engine and wherever they go, unless they are switched off", () => {
  assert.deepEqual(drillsOf(of())?.timeoutMinutes, 360);
  const given = { schedule: "0 5 * * 6", timeoutMinutes: 30 };
  assert.deepEqual(drillsOf(of({ backup: { verify: given } })), given);
  for (const some of [{ backup: { s3 } }, { engine: "mysql" }, { engine: "mongodb" }] as const)
    assert.equal(drillsOf(of(some))?.timeoutMinutes, 360, JSON.stringify(some));
  for (const none of [{ backup: { enabled: false } }, { backup: { verify: { enabled: false } } }] as const)
    assert.equal(drillsOf(of(none)), undefined, JSON.stringify(none));
});

test("a fleet does not have its drills at once, and each Database has its own always at the same time", () => {
  const schedules = Array.from({ length: 200 }, (_, index) => weeklyOf({ namespace: "shop", name: `db-${index}` }));
  assert.ok(new Set(schedules).size > 190, String(new Set(schedules).size));
  assert.equal(new Set(schedules.map((one) => one.at(-1))).size, 7);
  for (const one of schedules) assert.match(one, /^[0-5]?\d ([01]?\d|2[0-3]) \* \* [0-6]$/);
  assert.equal(weeklyOf({ namespace: "shop", name: "db-0" }), schedules[0]);
});

test("queries are in the ConfigMap and in no Job, and those of drills that are switched off are nowhere", () => {
  const queries = [{ name: "orders", sql: "SELECT count(*) FROM orders", expect: "3" }];
  const jobOf = (settings: Settings): unknown => {
    const drills = drillsOf(settings);
    assert.ok(drills !== undefined);
    return [drillCronJobOf(settings, drills, { containers: [] }), drillPodOf(settings, engineOf("postgresql"), drills)];
  };
  const asked = of({ backup: { verify: { queries } } });
  assert.deepEqual(jobOf(asked), jobOf(of()));
  assert.deepEqual(keptBackupsOf(asked).data, { kept: "", [queriesFile]: JSON.stringify(queries) });
  assert.deepEqual(keptBackupsOf(of({ backup: { verify: { enabled: false, queries } } })).data, { kept: "" });
});

for (const engine of engineNames) {
  test(`the pod of a drill has no secret, writes to a volume of its own, and only reads backups: ${engine}`, () => {
    const settings = of({ engine, storage: "20Gi", storageClass: "fast", backup: { pointInTime: engine === "mysql" } });
    const pod = drillPodOf(settings, engineOf(engine), once);
    const text = JSON.stringify(pod);
    assert.doesNotMatch(text, /secret/i);
    assert.ok(text.includes(`{"claimName":"orders-backup","readOnly":true}`));
    assert.deepEqual(
      pod.volumes.find(({ name }) => name === "data"),
      {
        name: "data",
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "20Gi" } },
              storageClassName: "fast",
            },
          },
        },
      },
    );
  });
}

test("with object storage it has what opens that, reads its own Database's place, and needs no volume of backups", () => {
  const settings = of({ backup: { s3: { ...s3, prefix: "prod", encryption: "phrase", ca: "authority" } } });
  const pod = drillPodOf(settings, engineOf("postgresql"), once);
  const secrets = pod.volumes.flatMap((volume) => ("secret" in volume ? [volume.secret.secretName] : []));
  assert.deepEqual(secrets, ["s3", "phrase", "authority"]);
  const [{ env = {}, mounts = {} } = {}] = pod.containers;
  assert.match(JSON.stringify(env["BACKUP_REPOSITORY"]), /\\nrepo1-path=\/prod\/shop\/orders\\n/);
  assert.equal(env["BACKUP_LOCATION"], "s3://backups/prod/shop/orders");
  assert.ok(!("backup" in mounts) && !("BACKUP_DIRECTORY" in env));
  assert.equal(pod.affinity, undefined);
  assert.equal(besideDrills(settings, backupPodOf(settings, engineOf("postgresql"))).affinity, undefined);
});

test("where changes are kept on the volume of backups, drills are on its node, and are what others are beside", () => {
  const settings = of({ engine: "mysql", version: "9.7", backup: { pointInTime: true } });
  const engine = engineOf("mysql");
  const pod = drillPodOf(settings, engine, once);
  assert.deepEqual(pod.affinity, onNodeOf("orders").affinity);
  assert.equal(pod.containers[0]?.env?.["BINARY_LOGS"], "kept");
  assert.deepEqual(besideDrills(settings, backupPodOf(settings, engine)).affinity, onNodeOf("orders").affinity);
  assert.match(
    JSON.stringify(drillCronJobOf(settings, once, { containers: [] })),
    new RegExp(JSON.stringify(onNodeOf("orders").labels).slice(1, -1)),
  );
  assert.equal(drillPodOf(of({ engine: "mysql" }), engine, once).containers[0]?.env?.["BINARY_LOGS"], undefined);
});

test("a drill that replays binary logs has memory for the largest change in them", () => {
  const memoryOf = (limit: string): unknown => {
    const config = { group_replication_transaction_size_limit: limit };
    const settings = of({ engine: "mysql", version: "9.7", config, backup: { pointInTime: true } });
    return drillPodOf(settings, engineOf("mysql"), once).containers[0]?.resources.limits;
  };
  assert.deepEqual(memoryOf("150000000"), { memory: "1Gi" });
  assert.deepEqual(memoryOf("1073741824"), { memory: "2760Mi" });
});

test("while a last backup is taken no drill begins", () => {
  const settings = of({ finalBackup: "u/1" });
  const job = drillCronJobOf(settings, { schedule: "0 0 * * 0", timeoutMinutes: 1 }, { containers: [] });
  assert.equal((job.spec as { suspend?: boolean }).suspend, true);
});

test("a drill knows how large its volume was asked to be, and one that was evicted is not repeated", () => {
  const drills = { schedule: "0 0 * * 0", timeoutMinutes: 1 };
  const pod = drillPodOf(of({ storage: "20Gi" }), engineOf("postgresql"), drills);
  assert.equal(pod.containers[0]?.env?.["VERIFY_VOLUME_BYTES"], String(20 * 1024 ** 3));
  assert.doesNotMatch(
    JSON.stringify(drillCronJobOf(of(), drills, { containers: [] })),
    /podFailurePolicy|DisruptionTarget/,
  );
});

test("drills and backups of a Database share a node where they can: its backup volume may be on one at a time", () => {
  const componentOf = (affinity: unknown): string | undefined =>
    /"topologyKey":"kubernetes.io\/hostname".*"database":"orders","app.kubernetes.io\/component":"(\w+)"/.exec(
      JSON.stringify(affinity),
    )?.[1];
  const engine = engineOf("postgresql");
  const drill = drillPodOf(of(), engine, { schedule: "", timeoutMinutes: 1 });
  assert.equal(componentOf(drill.affinity), "backup");
  assert.equal(componentOf(besideDrills(of(), backupPodOf(of(), engine)).affinity), "verification");
  const without = of({ backup: { verify: { enabled: false } } });
  assert.equal(besideDrills(without, backupPodOf(without, engine)).affinity, undefined);
});

test("a drill that was missed while the cluster was away begins within a day", () => {
  const job = drillCronJobOf(of(), { schedule: "0 0 * * 0", timeoutMinutes: 1 }, { containers: [] });
  assert.equal((job.spec as { startingDeadlineSeconds?: number }).startingDeadlineSeconds, 86_400);
});
