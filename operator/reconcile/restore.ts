// The beginning of a Database with the data of a backup, or of a server elsewhere: no member is there before they are, and they are copied once.
import { backupClaimName, dataClaimName } from "../../components/naming";
import type { Database } from "../api/object";
import type { Keep } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import { stalled, waiting, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import type { JobRun } from "../domain/members";
import { titleOf, type DesiredRestore, type Imported, type Restored } from "../domain/restore";
import { lacksOf, lacksOfServer, type Lack } from "../domain/storage-secrets";
import { beginningIn, beginningOf, type Beginning } from "./beginnings";
import { importOf } from "./import-source";
import { restoreSourceOf, storedIn, type RestoreSource } from "./restore-source";

/** How soon to look again, in milliseconds; watches report the Job earlier. */
const lookAgainMs = 5_000;

/** How soon to look again for a backup that is not there yet, in milliseconds: no watch reports it here. */
const awaitedMs = 10_000;

/** What a reconcile does about it. */
export type RestoreStep =
  /** Nothing is to be restored or imported, or it is done. */
  | { readonly kind: "none" }
  | { readonly kind: "copy"; readonly restore: DesiredRestore }
  | { readonly kind: "wait"; readonly outcome: Outcome };

type StepPorts = Pick<Ports, "records" | "world" | "lastLook" | "backups">;

/** What is to be done now for a Database whose spec was accepted. */
export async function restoreStep(key: Key, { metadata, spec }: Database, at: StepPorts): Promise<RestoreStep> {
  const record = await at.records.load(key);
  const restored = restoredOf(record, metadata.uid);
  if (restored !== undefined) return restored.isDone ? { kind: "none" } : { kind: "copy", restore: sourceOf(restored) };
  const beginning = beginningIn(spec);
  if (beginning === undefined || hasBegun(record, key, at)) return { kind: "none" };
  const inTheWay = await whatIsInTheWay(key, metadata, beginning, at);
  if (inTheWay !== undefined) return { kind: "wait", outcome: stalled(beginning.refused, inTheWay) };
  if (spec.initFrom !== undefined) return importStep(importOf(spec.initFrom, spec), metadata, at);
  if (spec.restore === undefined) return { kind: "none" };
  return stepTo(restoreSourceOf(spec.restore, spec, await at.backups.all(metadata.namespace)), metadata, at);
}

/** Nothing there is replaced. */
async function whatIsInTheWay(
  key: Key,
  metadata: Database["metadata"],
  beginning: Beginning,
  { lastLook }: Pick<StepPorts, "lastLook">,
): Promise<string | undefined> {
  if (await lastLook.hasData(key)) return dataInTheWay(metadata, beginning);
  const consensus = await lastLook.consensus(key);
  return consensus.length > 0 ? consensusInTheWay(metadata, consensus, beginning) : undefined;
}

async function importStep(
  restore: Extract<DesiredRestore, { readonly server: unknown }>,
  { namespace }: Pick<Database["metadata"], "namespace">,
  { backups }: Pick<StepPorts, "backups">,
): Promise<RestoreStep> {
  const lacks = await lacksOfServer(namespace, restore.server, backups.secretKeys);
  return awaiting(lacks, restore) ?? { kind: "copy", restore };
}

/** Until nothing is missing. */
function awaiting([lack]: readonly Lack[], restore: DesiredRestore): RestoreStep | undefined {
  if (lack === undefined) return undefined;
  const { progress, thing } = beginningOf(restore);
  return { kind: "wait", outcome: waiting(progress, `${lack.what}: until ${lack.until}, ${thing} waits`, awaitedMs) };
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
        const lacking = awaiting(await lacksOf(namespace, restore.stored.storage, at.backups.secretKeys), restore);
        if (lacking !== undefined) return lacking;
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
  if ("server" in restored) return { server: restored.server };
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

const dataInTheWay = ({ name }: Database["metadata"], { source, field }: Beginning): string =>
  `there are data volumes of a Database ${name} already, and ${source} replaces data: remove ${field} to continue with them, or delete the Database and the claims data-${name}-* first`;

/** Members go by it: to them the copy would be behind, or no data of theirs at all. */
const consensusInTheWay = ({ name }: Database["metadata"], maps: readonly string[], { thing }: Beginning): string =>
  `ConfigMap ${maps.join(", ")} of an earlier Database ${name} says that its members have newer data than any backup: delete ${maps.length === 1 ? "it" : "them"} once those data are needed no more, and ${thing} begins`;

/** Whether the data volumes of a Database of this uid hold nothing but what was copied or imported so far. */
export const isUnfilled = (record: StackRecord | undefined, uid: string): boolean =>
  restoredOf(record, uid)?.isDone === false;

/** What the deletion of such a Database keeps instead; under its own name the backups are all there is of the data. */
export const keepUnfilled = (record: StackRecord | undefined, { name }: Database["metadata"], keep: Keep): Keep =>
  keep === "nothing" && !isOf(name, record?.restored) ? "nothing" : "backups";

const isOf = (name: string, restored: Restored | undefined): boolean =>
  restored !== undefined &&
  !("server" in restored) &&
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
  const { progress, failed, data, does, job } = beginningOf(restore);
  const name = job(metadata.name);
  const trouble = at.world.observe(key).jobs.find((run) => run.name === name)?.trouble;
  switch (await at.lastLook.restore(key, { uid: metadata.uid, job: name })) {
    case "succeeded":
      return end(key, metadata, restore, at);
    case "failed":
      return stalled(
        failed,
        `Job ${name} failed${trouble === undefined ? "; its log says why" : `, and said: ${trouble}`}; nothing of ${data} is used. Remove the cause and delete the Job, and it begins again, or delete the Database`,
      );
    case "running":
    case undefined: {
      const why = trouble === undefined ? "" : ` (${trouble})`;
      return waiting(progress, `Job ${name} ${does} ${titleOf(restore)}${why}`, lookAgainMs);
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
  const { progress, succeeded, data, done, job: jobOf } = beginningOf(restore);
  const [job, claim] = [jobOf(metadata.name), dataClaimName(metadata.name, 0)];
  // once it is gone, that is noticed, and no empty one is made in its place
  if (at.world.children(key).get(`PersistentVolumeClaim ${claim}`)?.terminating === true)
    return waiting(progress, `PersistentVolumeClaim ${claim}, with ${data}, is being deleted`, lookAgainMs);
  const record = await at.records.load(key);
  if (record?.restored === undefined) return waiting(progress, `Job ${job} ${done} ${titleOf(restore)}`, 0);
  const imported = importedBy(at.world.observe(key).jobs.find((run) => run.name === job));
  if (imported === "unread" && "server" in restore)
    return waiting(progress, `Job ${job} ${done} ${titleOf(restore)}; what it says of them is read`, lookAgainMs);
  await at.records.save(key, { ...record, restored: doneOf(record.restored, imported) });
  const message = `Job ${job} ${done} ${titleOf(restore)}${sumsOf(imported)}; now members start`;
  at.databases.recordEvent(metadata, { type: "Normal", reason: succeeded, message });
  return undefined;
}

/** What it said of the data. `unread`: the watches do not show yet that it has ended. */
function importedBy(job: JobRun | undefined): Imported | "unread" | undefined {
  if (job !== undefined && job.state !== "succeeded") return "unread";
  return job?.imported;
}

const doneOf = (restored: Restored, imported: ReturnType<typeof importedBy>): Restored =>
  "server" in restored && typeof imported === "object"
    ? { ...restored, isDone: true, imported }
    : { ...restored, isDone: true };

const sumsOf = (imported: ReturnType<typeof importedBy>): string =>
  typeof imported === "object"
    ? `: ${imported.tables} tables or collections, ${imported.rows} rows or documents, counted on both sides`
    : "";
