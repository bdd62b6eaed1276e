// The last backup of a Database that is deleted under the policy Snapshot: nothing is destroyed before it has succeeded.
import type { ObservedDatabase } from "../domain/observed-database";
import type { Database, ParsedDatabase } from "../api/object";
import { finalBackupJobName } from "../../components/naming";
import type { Desired } from "../domain/desired";
import { drillComponent } from "../domain/drills";
import { acceptedOf } from "./accepted";
import { judge, judgeChange } from "./judge";
import { isUnfilled } from "./restore";
import { withGrown } from "./storage";
import { failed, stalled, waiting, type Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";
import { isStopped } from "../domain/upgrade";

/** Brings the children to what is desired; settled when they are as declared. */
type Converge = (database: Database, desired: Desired) => Promise<Outcome>;

interface Means {
  readonly converge: Converge;
  /** The same while members are stopped by a major upgrade: it comes to where they serve. */
  readonly advance: Converge;
}

/** How soon to look again while the backup is taken, in milliseconds; watches usually report earlier. */
const lookAgainMs = 5000;

/** How soon to look again whether what was taken is recorded, in milliseconds: that takes a moment, and no watch reports it here. */
const unrecordedMs = 1000;

const wayOut = "or write spec.deletionPolicy: Retain or Delete to delete the Database without a last backup";

/** Takes the last backup. Undefined once it has succeeded, or when there is nothing to save; until then what is waited for. */
export async function takeFinalBackup(
  key: Key,
  database: ObservedDatabase,
  at: Ports,
  { converge, advance }: Means,
): Promise<Outcome | undefined> {
  const { uid, generation } = database.metadata;
  const record = await at.records.load(key);
  // what a copy of a backup has reached so far is in that backup
  if (record?.finalBackup === uid || isUnfilled(record, uid)) return undefined;
  if (!(await at.lastLook.hasData(key))) return undefined;
  const found = await toBackUp(key, database, at);
  if (found.kind === "refused") return unable(found.outcome);
  if (isStopped(record?.upgrade)) return untilServing(await advance(found.database, found.desired));
  await endDrills(key, at);
  // an edit asks for another one: the previous one may have failed for what was edited
  const wish = `${uid}/${generation}`;
  const converged = await converge(found.database, { ...found.desired, finalBackup: wish });
  return converged.kind === "settled" ? await judgeJob(key, database, wish, at) : unable(converged);
}

/** With no member that serves there is none to take a backup of: the upgrade goes the rest of its way first. */
function untilServing(outcome: Outcome): Outcome {
  if (outcome.kind === "settled") return waiting("TakingFinalBackup", "the members start", 0);
  if (outcome.kind !== "waiting") return unable(outcome);
  const { message, afterMs } = outcome;
  return waiting(
    "TakingFinalBackup",
    `a last backup needs members that serve, and a major upgrade has stopped them: ${message}; wait, ${wayOut}`,
    afterMs,
  );
}

/** One would keep the backup volume on its node for hours, where that is on one node at a time. The CronJob begins no other. */
async function endDrills(key: Key, { world, backups }: Pick<Ports, "world" | "backups">): Promise<void> {
  const drills = world.observe(key).jobs.filter((job) => job.component === drillComponent && job.state === "running");
  await Promise.all(drills.map(({ name }) => backups.endDrill(key, name)));
}

type ToBackUp =
  | { readonly kind: "found"; readonly database: Database; readonly desired: Desired }
  | { readonly kind: "refused"; readonly outcome: Outcome };

/** What the Job is created beside: what is asked for, or, where that cannot be had, what was accepted last. */
async function toBackUp(key: Key, { metadata, parsed }: ObservedDatabase, at: Ports): Promise<ToBackUp> {
  const record = await at.records.load(key);
  const judgement = await judged(parsed, record, at);
  if (judgement.kind === "found") return judgement;
  const desired = record && acceptedOf(record, metadata, at);
  if (desired?.spec.backup.enabled !== true) return judgement;
  // under the policy of now no child may be collected with its owner
  const spec = { ...desired.spec, deletionPolicy: "Snapshot" } as const;
  return { kind: "found", database: { metadata, spec }, desired: { ...desired, spec } };
}

async function judged(parsed: ParsedDatabase, record: StackRecord | undefined, at: Ports): Promise<ToBackUp> {
  if (!parsed.ok) return { kind: "refused", outcome: stalled("SpecInvalid", parsed.problems.join("; ")) };
  const { database } = parsed;
  const judgement = await judge(database, at, record?.upgrade);
  if (judgement.kind === "refused") return judgement;
  const outcome = judgeChange(record?.declared, withGrown(judgement.desired, record).spec, record?.upgrade);
  return outcome === undefined ? { kind: "found", database, desired: judgement.desired } : { kind: "refused", outcome };
}

async function judgeJob(
  key: Key,
  { metadata }: ObservedDatabase,
  wish: string,
  at: Ports,
): Promise<Outcome | undefined> {
  const name = finalBackupJobName(metadata.name);
  const job = `Job ${name}`;
  const trouble = at.world.observe(key).jobs.find((run) => run.name === name)?.trouble;
  switch (await at.lastLook.finalBackup(key, wish)) {
    case "succeeded": {
      if (!(await at.backups.isTold(key, wish)))
        return waiting(
          "TakingFinalBackup",
          `${job} has taken the last backup; nothing is destroyed before its DatabaseBackup says so; wait, ${wayOut}`,
          unrecordedMs,
        );
      const record = await at.records.load(key);
      // remembered, because the destroy that follows takes the Job away and may take several attempts
      if (record !== undefined) await at.records.save(key, { ...record, finalBackup: metadata.uid });
      const message = `${job} has taken the last backup; now everything but backups and credentials is destroyed`;
      at.databases.recordEvent(metadata, { type: "Normal", reason: "BackupSucceeded", message });
      return undefined;
    }
    case "failed":
      return stalled(
        "FinalBackupFailed",
        `${job} failed, ${trouble === undefined ? "its log says why" : `and said: ${trouble}`}; nothing was destroyed. Remove the cause and delete the Job, ${wayOut}`,
      );
    case "running":
    case undefined:
      return waiting(
        "TakingFinalBackup",
        `${job} takes a last backup${trouble === undefined ? "" : ` (${trouble})`}, and nothing is destroyed before it has succeeded; wait, ${wayOut}`,
        lookAgainMs,
      );
  }
}

/** The outcome that keeps the backup from being taken, with what a person can do about it in front. */
function unable(outcome: Outcome): Outcome {
  if (outcome.kind !== "stalled" && outcome.kind !== "failed") return outcome;
  const message = `no last backup can be taken, and nothing was destroyed. Correct this, ${wayOut}: ${outcome.message}`;
  return outcome.kind === "stalled" ? stalled(outcome.reason, message) : failed(outcome.reason, message);
}
