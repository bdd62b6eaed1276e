// DatabaseBackups as people apply and read them, and the ends of their Jobs on simulated nodes, where no program runs.
import assert from "node:assert/strict";
import { z } from "zod";
import type { BackupReport } from "../../contract/backup-report";
import { parseBackup, type DatabaseBackup } from "../../operator/api/backups/object";
import type { BackupStatus } from "../../operator/api/backups/status";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";

/** One to apply. */
export const databaseBackup = (
  name: string,
  namespace: string,
  spec: { database: string; keep?: boolean },
): unknown => ({
  apiVersion: "example.com/v1",
  kind: "DatabaseBackup",
  metadata: { name, namespace },
  spec,
});

/** Throws where there is none. */
export async function readBackup(kubectl: Kubectl, namespace: string, name: string): Promise<DatabaseBackup> {
  const found = parseBackup(await kubectl.find("databasebackup", name, namespace));
  assert.ok(found, `there is no DatabaseBackup ${name}`);
  return found;
}

/** Those of a namespace, by name. */
export async function backupsIn(kubectl: Kubectl, namespace: string): Promise<readonly DatabaseBackup[]> {
  const listed = await kubectl.list("databasebackup", { namespace });
  return listed.flatMap((object) => parseBackup(object) ?? []);
}

/** Waits until it is in that phase, and returns what is said of it then. */
export const untilPhase = (
  kubectl: Kubectl,
  [namespace, name]: readonly [namespace: string, name: string],
  phase: BackupStatus["phase"],
): Promise<BackupStatus> =>
  eventually(async () => {
    const { status } = await readBackup(kubectl, namespace, name);
    assert.equal(status.phase, phase, JSON.stringify(status));
    return status;
  }, minutes(3));

const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }) }));

/** Ends the pod of a Job that waits for a node, as its program would: with a report. */
export async function endJob(
  kubectl: Kubectl,
  [namespace, job]: readonly [namespace: string, job: string],
  report: BackupReport,
): Promise<void> {
  const selector = `batch.kubernetes.io/job-name=${job}`;
  const pod = await eventually(async () => {
    const [found] = Pods.parse(await kubectl.list("pods", { namespace, selector }));
    assert.ok(found, `Job ${job} has no pod yet`);
    return found.metadata.name;
  }, minutes(1));
  const finishedAt = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const terminated = { exitCode: 0, reason: "Completed", message: JSON.stringify(report), finishedAt };
  const container = { name: "backup", image: "i", imageID: "", ready: false, restartCount: 0, state: { terminated } };
  const status = { phase: "Succeeded", containerStatuses: [container] };
  await kubectl(
    ...["patch", "pod", pod, "-n", namespace, "--subresource=status", "--type=merge"],
    ...["-p", JSON.stringify({ status })],
  );
}
