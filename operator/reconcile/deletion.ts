// The end of a Database: a last backup where one is asked for, destroy its stack, sweep what is left, keep or remove the data, and only then let the object go.
import type { ObservedDatabase } from "../domain/observed-database";
import { finalizer } from "../api/lifecycle";
import type { Database, DatabaseMetadata } from "../api/object";
import type { DeletionPolicy } from "../api/spec";
import type { Key } from "../domain/key";
import { stackOf } from "../domain/stack-names";
import type { Desired } from "../domain/desired";
import type { Changes, Problem, StackResult } from "../domain/runner";
import { longestTrustMs } from "./deletion-looks";
import { takeFinalBackup } from "./final-backup";
import { noted } from "./noted";
import { isUnfilled, keepUnfilled } from "./restore";
import { due, failed, gone, waiting, type Outcome } from "../domain/outcome";
import type { KeptCheckpoint, StackRecord } from "../domain/records";
import type { Keep } from "../domain/children";
import type { Turn } from "./turn";
import type { Ports } from "../domain/ports";
const keepOf: Readonly<Record<DeletionPolicy, Keep>> = {
  Retain: "all data",
  Snapshot: "backups",
  Delete: "nothing",
};

/** What a deletion needs of the ordinary reconcile. */
export interface ConvergeHooks {
  readonly turn: Turn;
  /** Brings the children to what is desired, removed ones included; settled when they are as declared. */
  readonly converge: (database: Database, desired: Desired, turn: Turn) => Promise<Outcome>;
  /** The same, and then, where a major upgrade has the members stopped, the step that follows. */
  readonly advance: (database: Database, desired: Desired, turn: Turn) => Promise<Outcome>;
}

/**
 * Carries the deletion of a Database on, of which `copy` may be of the past. It reads the metadata and the policy; only a last backup needs a
 * valid spec.
 */
export async function finalize(key: Key, copy: ObservedDatabase, at: Ports, hooks: ConvergeHooks): Promise<Outcome> {
  const { metadata } = copy;
  if (!metadata.finalizers.includes(finalizer)) return gone();
  // what is looked at before a run is looked at by the turn that runs
  if (hooks.turn.looksOnly) {
    const record = await at.records.load(key);
    const going = podsInTheWay(key, copy, record, at);
    if (going.length > 0) return untilGone(going);
    if (isIntact(record)) return due();
  }
  at.deletionLooks.note(key, at.now());
  const [database, namespaceEnds] = await Promise.all([
    at.lastLook.ending(key, metadata.uid),
    at.lastLook.namespaceEnds(key),
  ]);
  if (database === undefined) return gone();
  const policy = database.deletionPolicy;
  if (namespaceEnds) return goWithNamespace(key, metadata, policy, at);
  if (policy === "Snapshot") {
    const awaited = await saveLastBackup(key, database, at, hooks);
    if (awaited !== undefined) return awaited;
  }
  return remove(key, database, policy, { at, turn: hooks.turn });
}

/**
 * The pods that must go before anything else can, as far as the watches can be trusted: they show each one that goes. None, where the last
 * backup may need them back.
 */
function podsInTheWay(key: Key, copy: ObservedDatabase, record: StackRecord | undefined, at: Ports): readonly string[] {
  const isStopping = record?.checkpoint === undefined || at.world.observe(key).workload === undefined;
  const isBackedUp = copy.deletionPolicy !== "Snapshot" || record?.finalBackup === copy.metadata.uid;
  return isStopping && isBackedUp && at.deletionLooks.isRecent(key, at.now()) ? at.world.goingPods(key) : [];
}

/** Whether nothing was destroyed yet, and nothing failed. */
const isIntact = (record: StackRecord | undefined): boolean =>
  record?.checkpoint !== undefined && record.digest !== undefined;

/** Destroys the stack, removes what the policy does not keep, and lets the object go once all that is gone. */
async function remove(
  key: Key,
  { metadata }: ObservedDatabase,
  policy: DeletionPolicy,
  { at, turn }: { readonly at: Ports; readonly turn: Turn },
): Promise<Outcome> {
  const record = await at.records.load(key);
  const ofPolicy = keepOf[policy];
  const keep = isUnfilled(record, metadata.uid) ? keepUnfilled(record, metadata, ofPolicy) : ofPolicy;
  const destroyed = await destroy(key, record, at, turn);
  if (destroyed.kind === "unfinished") return destroyed.outcome;
  const unfinished = await sweepBy({ policy, keep }, key, metadata, at);
  const isByRecord = policy === "Delete" && keep !== "nothing";
  // the destroy is not repeated while the rest is waited for
  if (destroyed.record !== undefined && (unfinished !== undefined || isByRecord))
    await at.records.save(key, destroyed.record);
  if (unfinished !== undefined) return unfinished;
  return isByRecord ? letGoByRecord(key, metadata, at) : letGo(key, metadata, policy, at);
}

function saveLastBackup(
  key: Key,
  database: ObservedDatabase,
  at: Ports,
  hooks: ConvergeHooks,
): Promise<Outcome | undefined> {
  const turn: Turn = {
    looksOnly: hooks.turn.looksOnly,
    running: () => {
      hooks.turn.running("TakingFinalBackup");
    },
    changed: (...change) => {
      hooks.turn.changed(...change);
    },
  };
  return takeFinalBackup(key, database, at, {
    converge: (...wanted) => hooks.converge(...wanted, turn),
    advance: (...wanted) => hooks.advance(...wanted, turn),
  });
}

/** Removes what the policy does not keep. Undefined once that is gone, else what is waited for. */
async function sweepBy(
  { policy, keep }: { readonly policy: DeletionPolicy; readonly keep: Keep },
  key: Key,
  metadata: DatabaseMetadata,
  at: Ports,
): Promise<Outcome | undefined> {
  // it may have been changed while Pulumi was at work, and no watch have reported it
  const now = await at.lastLook.ending(key, metadata.uid);
  if (now?.deletionPolicy === policy) return sweep(key, metadata, keep, at);
  return waiting("Deleting", "spec.deletionPolicy was changed: the new one counts", 0);
}

async function letGo(key: Key, metadata: DatabaseMetadata, policy: DeletionPolicy, at: Ports): Promise<Outcome> {
  const isAll = policy === "Delete";
  await Promise.all([
    at.records.remove(key),
    ...(isAll ? [at.credentials.remove(key), at.certificates.remove(key), at.backups.remove(key)] : []),
  ]);
  await at.databases.removeFinalizer(metadata);
  return gone();
}

/** The record goes last: as long as the object is there, nothing else says that more stays than the policy keeps. */
async function letGoByRecord(key: Key, metadata: DatabaseMetadata, at: Ports): Promise<Outcome> {
  await at.databases.removeFinalizer(metadata);
  await at.records.remove(key);
  return gone();
}

/**
 * In a namespace that is being deleted everything goes, data too, whatever the policy says; nothing can be created. Where volumes stay, by
 * their own reclaim policy, so do the passwords in their data.
 */
async function goWithNamespace(
  key: Key,
  metadata: DatabaseMetadata,
  policy: DeletionPolicy,
  at: Ports,
): Promise<Outcome> {
  const kept = policy === "Delete" ? undefined : await at.credentials.retire(key);
  if (policy === "Delete") await at.credentials.remove(key);
  await at.certificates.remove(key);
  await at.records.remove(key);
  await at.databases.removeFinalizer(metadata);
  if (kept !== undefined)
    return gone(
      `the namespace is being deleted; the passwords are kept in Secret ${kept.secret} for the volumes that stay: ${kept.volumes.join(", ")}`,
    );
  const loss = policy === "Delete" ? "" : `, although deletionPolicy is ${policy}`;
  const backup = policy === "Snapshot" ? "; no last backup could be taken" : "";
  return gone(`the namespace is being deleted, and the data with it${loss}${backup}`);
}

/** How far the destroy is; `record` must be saved where the object is not let go at once. */
type Destroyed =
  | { readonly kind: "unfinished"; readonly outcome: Outcome }
  | { readonly kind: "done"; readonly record: StackRecord | undefined };

/** Destroys the stack once: afterwards its record has no checkpoint. */
async function destroy(key: Key, record: StackRecord | undefined, at: Ports, turn: Turn): Promise<Destroyed> {
  if (record?.checkpoint === undefined) return { kind: "done", record: undefined };
  // an attempt that was held up is not repeated before what held it up is gone: Pulumi would wait for it again
  const held = record.digest === undefined ? await at.lastLook.held(key) : [];
  if (held.length > 0) return { kind: "unfinished", outcome: untilGone(held) };
  if (turn.looksOnly) return { kind: "unfinished", outcome: due() };
  turn.running("Deleting");
  // a member that hands over and leaves its group writes that down, by rights that go with the first of the others
  const stopping = await at.children.stopMembers(key);
  if (stopping.length > 0) return { kind: "unfinished", outcome: untilGone(stopping) };
  const stack = stackOf(key);
  const checkpoint = record.checkpoint.text();
  const summary = ({ deleted }: Changes): string => `${deleted} deleted`;
  const result = await noted({ key, operation: "destroy", summary }, at, () =>
    at.stacks.destroy({ stack, checkpoint, signal: at.signal }),
  );
  const { left, problem } = await remainderOf(result, record.checkpoint, (text) => at.keep(text, stack));
  const remaining = { ...record, checkpoint: left, digest: undefined };
  if (problem === undefined) return { kind: "done", record: remaining };
  await at.records.save(key, remaining);
  const inTheWay = await at.lastLook.held(key);
  return {
    kind: "unfinished",
    outcome: inTheWay.length > 0 ? untilGone(inTheWay) : failed("DestroyFailed", problem.message),
  };
}

/** What a destroy leaves of the state, and why. What an unreadable state knew of is found by its labels afterwards. */
async function remainderOf(
  result: StackResult,
  before: KeptCheckpoint,
  keep: (text: string) => Promise<KeptCheckpoint>,
): Promise<{ left?: KeptCheckpoint; problem?: Problem }> {
  if (result.kind === "succeeded" || result.kind === "corrupt") return {};
  const left = result.checkpoint === undefined ? before : await keep(result.checkpoint);
  return { left, problem: result.problem };
}

const untilGone = (left: readonly string[]): Outcome =>
  waiting("Deleting", `waiting for these to be deleted: ${left.join(", ")}`, longestTrustMs);

/** Removes what is still there. Undefined once nothing is, else what is waited for. */
async function sweep(key: Key, metadata: DatabaseMetadata, keep: Keep, at: Ports): Promise<Outcome | undefined> {
  try {
    const { left, strangers } = await at.children.sweep(key, keep);
    if (left.length > 0) return untilGone(left);
    if (strangers.length > 0) {
      const message = `left unchanged, since only their labels are those of a child: ${strangers.join(", ")}`;
      at.databases.recordEvent(metadata, { type: "Warning", reason: "Deleting", message });
    }
    return undefined;
  } catch (error) {
    return failed("DestroyFailed", error instanceof Error ? error.message : String(error));
  }
}
