// Removes backups from object storage, and what attempts left that were killed.
import { surplusOf, type Retention } from "../../backups";
import { log } from "../../log";
import type { Bucket } from "../../object-storage/bucket";
import { inLanes } from "../../object-storage/lanes";
import { labelsIn } from "./catalogue";
import { allDataOf, beganAt, dataOf, entryOf, type Named } from "./layout";

const lanes = 8;

/** An attempt that began so long ago does not run any more: its Job may take six hours. */
const longestMs = 7 * 3_600_000;

/** Without its entry, which goes first, it is no backup, however much of it is left. */
export async function removeStored(bucket: Bucket, backup: Named): Promise<void> {
  await bucket.remove(entryOf(backup));
  await removeData(bucket, backup);
}

/** Removes all that is there but the entry. */
export async function removeData(bucket: Bucket, backup: Named): Promise<void> {
  const names: string[] = [];
  for await (const { name } of bucket.list(dataOf(backup))) names.push(name);
  await inLanes(names, lanes, (name) => bucket.remove(name));
}

/** Removes what has no entry and does not run any more. */
export async function removeRemainders(bucket: Bucket, group: string, now = Date.now()): Promise<void> {
  // before the entries: what is completed meanwhile has one by then
  const labels = await bucket.directories(allDataOf(group));
  const complete = new Set(await labelsIn({ bucket }, group));
  for (const label of labels.filter((one) => !complete.has(one) && isOver(one, now))) {
    log("removing the leftovers of an aborted run", { label });
    await removeData(bucket, { group, label });
  }
}

function isOver(label: string, now: number): boolean {
  const began = beganAt(label);
  return began !== undefined && now - began > longestMs;
}

/** Removes what retention does not keep of a group: of others nothing is looked at. */
export async function prune(bucket: Bucket, group: string, wanted: Retention, now = Date.now()): Promise<void> {
  for (const label of surplusOf(await labelsIn({ bucket }, group), wanted)) {
    await removeStored(bucket, { group, label });
    log("removed", { name: label });
  }
  await removeRemainders(bucket, group, now);
}
