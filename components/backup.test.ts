import assert from "node:assert/strict";
import test from "node:test";
import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { backupCronJobOf, backupDeadlineSeconds, backupPodOf, finalBackupJobOf, firstBackupJobOf } from "./backup";
import { availableEngines } from "./engines/available";
import { postgresql } from "./engines/postgresql";
import { initPodOf } from "./initialization";
import { settingsOf } from "./settings";

const settings = settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1" });
const podSpec: k8s.types.input.core.v1.PodSpec = { containers: [] };

const plain = <T>(value: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> =>
  new Promise((resolve) => void pulumi.output(value).apply(resolve));

test("a backup that hangs is ended before it would prevent the next night's", async () => {
  const cronJob = await plain(backupCronJobOf(settings, podSpec).spec);
  assert.equal(cronJob?.concurrencyPolicy, "Forbid");
  assert.equal(cronJob.jobTemplate.spec?.activeDeadlineSeconds, backupDeadlineSeconds);
  assert.ok(backupDeadlineSeconds < 24 * 60 * 60);
});

test("a first backup that hangs is ended too", async () => {
  const job = await plain(firstBackupJobOf(settings, podSpec).spec);
  assert.equal(job?.activeDeadlineSeconds, backupDeadlineSeconds);
});

test("a last backup runs again when another one is asked for, and no scheduled one begins meanwhile", async () => {
  const templateOf = async (wish: string): Promise<string> =>
    JSON.stringify((await plain(finalBackupJobOf(settings, wish, podSpec).spec))?.template);
  assert.notEqual(await templateOf("uid/1"), await templateOf("uid/2"));
  assert.equal((await plain(backupCronJobOf({ ...settings, finalBackup: "uid/1" }, podSpec).spec))?.suspend, true);
  assert.equal((await plain(backupCronJobOf(settings, podSpec).spec))?.suspend, undefined);
});

test("a last backup that hangs is ended too", async () => {
  const job = await plain(finalBackupJobOf(settings, "uid/1", podSpec).spec);
  assert.equal(job?.activeDeadlineSeconds, backupDeadlineSeconds);
});

test("the pod of a failed backup stays with its log: a pod restarted in place would go when its Job gives up", () => {
  assert.equal(backupPodOf(settings, postgresql).restartPolicy, "Never");
});

test("a Job's program that ends without a message leaves the end of its log as one", () => {
  for (const engine of availableEngines) {
    for (const { containers } of [backupPodOf(settings, engine), initPodOf(settings, engine)]) {
      assert.deepEqual(
        containers.map(({ terminationMessagePolicy }) => terminationMessagePolicy),
        ["FallbackToLogsOnError"],
      );
    }
  }
});
