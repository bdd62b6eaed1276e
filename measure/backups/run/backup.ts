// Takes one backup, and says how long that took.
import type { BackupStatus } from "../../../operator/api/backups/status";
import { databaseBackup, readBackup } from "../../../test/harness/backups";
import { eventually, minutes } from "../../../test/harness/eventually";
import type { Kill } from "../scenarios";
import { JobWatch } from "./job";
import type { Span } from "./program-spans";
import { patienceFor, source, type Scene } from "./scene";
import { strike } from "./strike";

export interface Taken {
  readonly name: string;
  /** When it was asked for, by this process's clock. */
  readonly askedAt: number;
  /** From when the one that succeeded began to copy until its container ended, by the same clock; known to the second. */
  readonly span: Span;
  readonly programSeconds: number;
  readonly bytes: number;
  readonly storedBytes: number | undefined;
  readonly label: string;
}

let taken = 0;

export async function takeBackup(scene: Scene, kill: Kill): Promise<Taken> {
  const { kubectl, namespace } = scene;
  taken += 1;
  const name = `${source}-${taken}`;
  const askedAt = performance.now();
  await kubectl.apply(databaseBackup(name, namespace, { database: source }));
  const watch = new JobWatch(kubectl, namespace, await jobOf(scene, name));
  try {
    await strike(scene, { kill, watch, at: "backup" });
  } catch (error) {
    await watch.stop().catch(() => undefined);
    throw error;
  }
  const status = await untilSucceeded(scene, name);
  const all = await watch.stop();
  const { label, bytes, storedBytes, startedAt } = factsOf(status);
  const span = { from: startedAt - performance.timeOrigin, to: all.to - performance.timeOrigin };
  return {
    ...{ name, askedAt, label, bytes, storedBytes, span },
    // before it copies, a program waits up to a minute for a replica
    programSeconds: (kill === "nothing" ? all.to - startedAt : all.to - all.from) / 1000,
  };
}

/** The Job that takes it, once it has begun. */
const jobOf = ({ kubectl, namespace }: Scene, name: string): Promise<string> =>
  eventually(async () => {
    const { status } = await readBackup(kubectl, namespace, name);
    if (status.job === undefined) throw new Error(`${name} has no Job: ${JSON.stringify(status)}`);
    return status.job;
  }, minutes(5));

/** Throws at once where it has failed. */
async function untilSucceeded({ kubectl, namespace, gib }: Scene, name: string): Promise<BackupStatus> {
  const ended = await eventually(async () => {
    const { status } = await readBackup(kubectl, namespace, name);
    if (status.phase !== "Succeeded" && status.phase !== "Failed") throw new Error(JSON.stringify(status));
    return status;
  }, patienceFor(gib));
  if (ended.phase === "Failed") throw new Error(`${name} failed: ${JSON.stringify(ended)}`);
  return ended;
}

function factsOf({ label, size, storedSize, startedAt }: BackupStatus): {
  readonly label: string;
  readonly bytes: number;
  readonly storedBytes: number | undefined;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
} {
  if (label === undefined || size === undefined || startedAt === undefined)
    throw new Error("the backup does not tell its label, its size and when it began");
  return { label, bytes: size, storedBytes: storedSize, startedAt: Date.parse(startedAt) };
}
