import assert from "node:assert/strict";
import test from "node:test";
import { queriesFile } from "../contract/verification-report";
import type { DatabaseOptions } from "./args";
import { backupPodOf, besideDrills, keptBackupsOf } from "./backup";
import { engineOf } from "./engines/available";
import { settingsOf, type Settings } from "./settings";
import { drillCronJobOf, drillPodOf, drillsOf, weeklyOf } from "./verification";

const of = (options: Partial<DatabaseOptions> = {}): Settings =>
  settingsOf("orders", { namespace: "shop", engine: "postgresql", version: "17.12", image: "i", ...options });
const s3 = { bucket: "backups", endpoint: "https://s3.example.com", credentials: "s3" };

test("drills take place where there are backups on a volume and a program for them, unless they are switched off", () => {
  assert.deepEqual(drillsOf(of())?.timeoutMinutes, 360);
  const given = { schedule: "0 5 * * 6", timeoutMinutes: 30 };
  assert.deepEqual(drillsOf(of({ backup: { verify: given } })), given);
  for (const none of [
    { backup: { enabled: false } },
    { backup: { s3 } },
    { backup: { verify: { enabled: false } } },
    { engine: "mysql" },
    { engine: "mongodb" },
  ] as const)
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

test("the pod of a drill has no secret, writes to a volume of its own, and only reads backups", () => {
  const settings = of({ storage: "20Gi", storageClass: "fast" });
  const pod = drillPodOf(settings, engineOf("postgresql"), { schedule: "", timeoutMinutes: 1 });
  const text = JSON.stringify(pod);
  assert.doesNotMatch(text, /secret/i);
  assert.ok(text.includes(`{"claimName":"orders-backup","readOnly":true}`));
  const claim = pod?.volumes.find(({ name }) => name === "data");
  assert.deepEqual(claim, {
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
  });
});

test("while a last backup is taken no drill begins", () => {
  const settings = of({ finalBackup: "u/1" });
  const job = drillCronJobOf(settings, { schedule: "0 0 * * 0", timeoutMinutes: 1 }, { containers: [] });
  assert.equal((job.spec as { suspend?: boolean }).suspend, true);
});

test("a drill knows how large its volume was asked to be, and one that was evicted is not repeated", () => {
  const drills = { schedule: "0 0 * * 0", timeoutMinutes: 1 };
  const pod = drillPodOf(of({ storage: "20Gi" }), engineOf("postgresql"), drills);
  assert.equal(pod?.containers[0]?.env?.["VERIFY_VOLUME_BYTES"], String(20 * 1024 ** 3));
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
  assert.equal(componentOf(drill?.affinity), "backup");
  assert.equal(componentOf(besideDrills(of(), backupPodOf(of(), engine)).affinity), "verification");
  const without = of({ backup: { verify: { enabled: false } } });
  assert.equal(besideDrills(without, backupPodOf(without, engine)).affinity, undefined);
});

test("a drill that was missed while the cluster was away begins within a day", () => {
  const job = drillCronJobOf(of(), { schedule: "0 0 * * 0", timeoutMinutes: 1 }, { containers: [] });
  assert.equal((job.spec as { startingDeadlineSeconds?: number }).startingDeadlineSeconds, 86_400);
});
