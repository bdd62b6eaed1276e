// The end of a Database: a last backup where one is asked for, destroy its stack, sweep what is left, keep or remove the data, and only then let the object go.
import { deletionPolicyOf, finalizer } from "../api/lifecycle";
import { metadataOf, type Database, type DatabaseMetadata } from "../api/object";
import type { DeletionPolicy } from "../api/spec";
import { placeOf } from "../key";
import type { Desired } from "../stack/desired";
import type { Changes, Checkpoint, Problem, StackResult } from "../stack/runner";
import { takeFinalBackup } from "./final-backup";
import { noted } from "./noted";
import { failed, gone, waiting, type Outcome } from "./outcome";
import type { Keep, Key, Ports } from "../ports";
import type { Progress } from "./reconcile";

/** How soon to look again while children are going, in milliseconds; watches usually tell earlier. */
const lookAgainMs = 2000;

const keepOf: Readonly<Record<DeletionPolicy, Keep>> = {
  Retain: "all data",
  Snapshot: "backups",
  Delete: "nothing",
};

/** What a deletion needs of the ordinary reconcile. */
export interface Means {
  readonly progress: Progress;
  /** Brings the children to what is desired, those that somebody removed included; settled when they are as declared. */
  readonly converge: (database: Database, desired: Desired, progress: Progress) => Promise<Outcome>;
}

/** Carries the deletion of `object` on. It reads the metadata and the policy; only a last backup needs a valid spec. */
export async function finalize(key: Key, object: unknown, at: Ports, means: Means): Promise<Outcome> {
  const metadata = metadataOf(object);
  if (!metadata.finalizers.includes(finalizer) || !(await at.lastLook.isEnding(key, metadata.uid))) return gone();
  const policy = deletionPolicyOf(object);
  if (await at.lastLook.namespaceEnds(key)) return goWithNamespace(key, metadata, policy, at);
  if (policy === "Snapshot") {
    const progress: Progress = {
      running: () => means.progress.running("TakingFinalBackup"),
      changed: (...change) => means.progress.changed(...change),
    };
    const awaited = await takeFinalBackup(key, object, at, (...wanted) => means.converge(...wanted, progress));
    if (awaited !== undefined) return awaited;
  }
  const unfinished = await destroy(key, at, means.progress);
  if (unfinished !== undefined) return unfinished;
  // it may have been changed while Pulumi was at work
  if (deletionPolicyOf(at.world.database(key) ?? object) !== policy) {
    return waiting("Deleting", "spec.deletionPolicy was changed: the new one counts", 0);
  }
  return sweep(key, metadata, keepOf[policy], at);
}

/** In a namespace that is being deleted everything goes, data too, whatever the policy says; nothing can be made there. */
async function goWithNamespace(
  key: Key,
  metadata: DatabaseMetadata,
  policy: DeletionPolicy,
  at: Ports,
): Promise<Outcome> {
  await at.credentials.remove(key);
  await at.records.remove(key);
  await at.databases.removeFinalizer(metadata);
  const loss = policy === "Delete" ? "" : `, although deletionPolicy is ${policy}`;
  const backup = policy === "Snapshot" ? "; no last backup could be taken" : "";
  return gone(`the namespace is being deleted, and the data with it${loss}${backup}`);
}

/** Destroys the stack once: afterwards its record has no checkpoint. Undefined when that is done, else what is in the way. */
async function destroy(key: Key, at: Ports, progress: Progress): Promise<Outcome | undefined> {
  const record = await at.records.load(key);
  if (record?.checkpoint === undefined) return undefined;
  // an attempt that was held up is not repeated before what held it up is gone: Pulumi would wait for it again
  const held = record.digest === undefined ? await at.lastLook.held(key) : [];
  if (held.length > 0) return untilGone(held);
  await progress.running("Deleting");
  const { namespace, name } = placeOf(key);
  const { checkpoint } = record;
  const summary = ({ deleted }: Changes): string => `${deleted} deleted`;
  const result = await noted({ key, operation: "destroy", summary }, at, () =>
    at.stacks.destroy({ stack: at.stackName(namespace, name), checkpoint, signal: at.signal }),
  );
  const { left, problem } = remainderOf(result, checkpoint);
  await at.records.save(key, { ...record, checkpoint: left, digest: undefined });
  if (problem === undefined) return undefined;
  const inTheWay = await at.lastLook.held(key);
  return inTheWay.length > 0 ? untilGone(inTheWay) : failed("DestroyFailed", problem.message);
}

/** What a destroy leaves of the state, and why. What an unreadable state knew of is found by its labels afterwards. */
function remainderOf(result: StackResult, before: Checkpoint): { left?: Checkpoint; problem?: Problem } {
  if (result.kind === "succeeded" || result.kind === "corrupt") return {};
  return { left: result.checkpoint ?? before, problem: result.problem };
}

const untilGone = (left: readonly string[]): Outcome =>
  waiting("Deleting", `waiting until these are gone: ${left.join(", ")}`, lookAgainMs);

/** Removes what is still there, and at last the finalizer. */
async function sweep(key: Key, metadata: DatabaseMetadata, keep: Keep, at: Ports): Promise<Outcome> {
  let left: readonly string[];
  try {
    left = await at.children.sweep(key, keep);
  } catch (error) {
    return failed("DestroyFailed", error instanceof Error ? error.message : String(error));
  }
  if (left.length > 0) return untilGone(left);
  if (keep === "nothing") await at.credentials.remove(key);
  await at.records.remove(key);
  await at.databases.removeFinalizer(metadata);
  return gone();
}
