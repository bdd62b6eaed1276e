// What a change is held against: what is in the cluster, or, where the last one was not carried out, what was agreed to.
import { parseDatabase, type Database } from "../api/object";
import type { DatabaseSpec } from "../api/spec";
import type { Desired } from "../domain/desired";
import type { StackRecord } from "../domain/records";
import { judge } from "../reconcile/judge";
import { withRecorded } from "../reconcile/recorded";
import { withGrown } from "../reconcile/storage";
import type { Cluster } from "./cluster";

/** The spec by which the children are; of what no child shows, what is in the cluster counts at once. */
export function formerSpec(
  record: Pick<StackRecord, "accepted"> | undefined,
  present: Database | undefined,
): DatabaseSpec | undefined {
  const accepted = record?.accepted?.spec;
  if (accepted === undefined || present === undefined) return present?.spec;
  const { deletionPolicy, paused, changePolicy, storageAutoGrow, upgrade } = present.spec;
  return { ...accepted, deletionPolicy, paused, changePolicy, storageAutoGrow, upgrade };
}

/** Whether the last change was not carried out whole: what the children are as is not on record. */
export const isHalfDone = (record: StackRecord | undefined): boolean =>
  record !== undefined && record.history.length > 0 && record.digest === undefined && record.accepted === undefined;

/** The Database in the cluster; undefined where there is none, or none that can be read. */
export function presentOf(before: unknown): Database | undefined {
  const parsed = before === undefined ? undefined : parseDatabase(before);
  return parsed?.ok === true ? parsed.database : undefined;
}

/** What that asks for; undefined where it could not be applied. */
export async function formerOf(
  present: Database | undefined,
  record: StackRecord | undefined,
  cluster: Cluster,
): Promise<Desired | undefined> {
  if (present === undefined) return undefined;
  const judgement = await judge(present, cluster, record?.upgrade);
  if (judgement.kind !== "accepted") return undefined;
  return withGrown(withRecorded(judgement.desired, record, cluster.world.catalogue), record);
}
