// The beginning of a Database with the data of a backup: no member is there before they are, and they are copied once.
import { backupClaimName, dataClaimName, restoreJobName } from "../../components/naming";
import type { Database } from "../api/object";
import type { Keep } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import { stalled, waiting, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { titleOf, type DesiredRestore, type Restored } from "../domain/restore";
import { lacksOf } from "../domain/storage-secrets";
import { restoreSourceOf, storedIn, type RestoreSource } from "./restore-source";

/** How soon to look again, in milliseconds; watches report the Job earlier. */
const lookAgainMs = 5_000;

/** How soon to look again for a backup that is not there yet, in milliseconds: no watch reports it here. */
const awaitedMs = 10_000;

/** What a reconcile does about it. */
export type RestoreStep =
  /** Nothing is to be restored, or it is done. */
  | { readonly kind: "none" }
  | { readonly kind: "copy"; readonly restore: DesiredRestore }
  | { readonly kind: "wait"; readonly outcome: Outcome };

type StepPorts = Pick<Ports, "records" | "world" | "lastLook" | "backups">;

/** What is to be done now for a Database whose spec was accepted. */
export async function restoreStep(key: Key, { metadata, spec }: Database, at: StepPorts): Promise<RestoreStep> {
  const record = await at.records.load(key);
  const restored = restoredOf(record, metadata.uid);
  if (restored !== undefined) return restored.isDone ? { kind: "none" } : { kind: "copy", restore: sourceOf(restored) };
  if (spec.restore === undefined || hasBegun(record, key, at)) return { kind: "none" };
  if (await at.lastLook.hasData(key))
    return { kind: "wait", outcome: stalled("RestoreRefused", dataInTheWay(metadata)) };
  const consensus = await at.lastLook.consensus(key);
  if (consensus.length > 0)
    return { kind: "wait", outcome: stalled("RestoreRefused", consensusInTheWay(metadata, consensus)) };
  return stepTo(restoreSourceOf(spec.restore, spec, await at.backups.all(metadata.namespace)), metadata, at);
}

async function stepTo(
  source: RestoreSource,
  { namespace }: Pick<Database["metadata"], "namespace">,
  at: Pick<StepPorts, "backups">,
): Promise<RestoreStep> {
  switch (source.kind) {
    case "awaited":
      return { kind: "wait", outcome: waiting("Restoring", source.message, awaitedMs) };
    case "refused":
      return { kind: "wait", outcome: stalled("RestoreRefused", source.message) };
    case "stored": {
      const storage = await at.backups.storage(`${namespace}/${source.backup.spec.database}`);
      return stepTo(storedIn(storage, source), { namespace }, at);
    }
    case "found": {
      const { restore } = source;
      if ("stored" in restore) {
        const [lack] = await lacksOf(namespace, restore.stored.storage, at.backups.secretKeys);
        if (lack !== undefined)
          return {
            kind: "wait",
            outcome: waiting("Restoring", `${lack.what}: until ${lack.until}, the restore waits`, awaitedMs),
          };
      }
      return "stored" in restore || (await at.backups.hasClaim(namespace, restore.claim))
        ? { kind: "copy", restore }
        : { kind: "wait", outcome: withoutVolume(restore) };
    }
  }
}

/** Backups were on it where one is known; else it may still come. */
function withoutVolume(restore: Extract<DesiredRestore, { claim: string }>): Outcome {
  const { backup, claim } = restore;
  return backup === undefined
    ? waiting(
        "Restoring",
        `there is no PersistentVolumeClaim ${claim}: until it is there, the restore waits`,
        awaitedMs,
      )
    : stalled(
        "RestoreRefused",
        `PersistentVolumeClaim ${claim}, on which ${titleOf(restore)} was, is not there any more`,
      );
}

/** What is on record of this very Database; undefined where nothing is. */
const restoredOf = (record: StackRecord | undefined, uid: string): Restored | undefined =>
  record?.restored?.uid === uid ? record.restored : undefined;

function sourceOf(restored: Restored): DesiredRestore {
  if ("stored" in restored) {
    const { backup, database, stored } = restored;
    return { ...(backup !== undefined && { backup }), ...(database !== undefined && { database }), stored };
  }
  const { backup, claim, label, until } = restored;
  return {
    ...(backup !== undefined && { backup }),
    claim,
    ...(label !== undefined && { label }),
    ...(until !== undefined && { until }),
  };
}

/** Whether there are, or were, members: also where the record of it was lost. Those of an earlier object of the name may never have come. */
function hasBegun(record: StackRecord | undefined, key: Key, { world }: Pick<Ports, "world">): boolean {
  if (record?.restored?.isDone === false) return false;
  const hasRun = record?.checkpoint !== undefined || record?.declared !== undefined;
  return hasRun || (world.observe(key).workload?.wanted ?? 0) > 0;
}

const dataInTheWay = ({ name }: Database["metadata"]): string =>
  `there are data volumes of a Database ${name} already, and no backup replaces data: remove spec.restore to continue with them, or delete the Database and the claims data-${name}-* first`;

/** Members go by it: to them the copy would be behind, or no data of theirs at all. */
const consensusInTheWay = ({ name }: Database["metadata"], maps: readonly string[]): string =>
  `ConfigMap ${maps.join(", ")} of an earlier Database ${name} says that its members have newer data than any backup: delete ${maps.length === 1 ? "it" : "them"} once those data are needed no more, and the restore begins`;

/** Whether the data volumes of a Database of this uid hold nothing but what was copied of a backup so far. */
export const isUnfilled = (record: StackRecord | undefined, uid: string): boolean =>
  restoredOf(record, uid)?.isDone === false;

/** What the deletion of such a Database keeps instead; under its own name the backups are all there is of the data. */
export const keepUnfilled = (record: StackRecord | undefined, { name }: Database["metadata"], keep: Keep): Keep =>
  keep === "nothing" && !isOf(name, record?.restored) ? "nothing" : "backups";

const isOf = (name: string, restored: Restored | undefined): boolean =>
  restored !== undefined &&
  ("stored" in restored ? restored.database === name : restored.claim === backupClaimName(name));

/** What is noted before anything is created: whatever is lost afterwards, no member begins with an empty volume. */
export const begun = ({ owner }: Desired, restore: DesiredRestore): Restored => ({
  uid: owner.uid,
  ...restore,
  isDone: false,
});

/** How the copy fares, once its Job is declared. Undefined when it is done, and noted. */
export async function awaitRestore(
  key: Key,
  { metadata }: Database,
  restore: DesiredRestore,
  at: Pick<Ports, "records" | "world" | "lastLook" | "databases">,
): Promise<Outcome | undefined> {
  const name = restoreJobName(metadata.name);
  const trouble = at.world.observe(key).jobs.find((run) => run.name === name)?.trouble;
  switch (await at.lastLook.restore(key, metadata.uid)) {
    case "succeeded":
      return end(key, metadata, restore, at);
    case "failed":
      return stalled(
        "RestoreFailed",
        `Job ${name} failed${trouble === undefined ? "; its log says why" : `, and said: ${trouble}`}; nothing of the copy is used. Remove the cause and delete the Job, and it begins again, or delete the Database`,
      );
    case "running":
    case undefined: {
      const why = trouble === undefined ? "" : ` (${trouble})`;
      return waiting("Restoring", `Job ${name} copies ${titleOf(restore)}${why}`, lookAgainMs);
    }
  }
}

/** Notes that the data are there, where they still are. */
async function end(
  key: Key,
  metadata: Database["metadata"],
  restore: DesiredRestore,
  at: Pick<Ports, "records" | "world" | "databases">,
): Promise<Outcome | undefined> {
  const [job, claim] = [restoreJobName(metadata.name), dataClaimName(metadata.name, 0)];
  // once it is gone, that is noticed, and no empty one is made in its place
  if (at.world.children(key).get(`PersistentVolumeClaim ${claim}`)?.terminating === true)
    return waiting("Restoring", `PersistentVolumeClaim ${claim}, with the copy, is being deleted`, lookAgainMs);
  const record = await at.records.load(key);
  if (record?.restored === undefined) return waiting("Restoring", `Job ${job} has copied ${titleOf(restore)}`, 0);
  await at.records.save(key, { ...record, restored: { ...record.restored, isDone: true } });
  const message = `Job ${job} has copied ${titleOf(restore)}; now members start`;
  at.databases.recordEvent(metadata, { type: "Normal", reason: "RestoreSucceeded", message });
  return undefined;
}
