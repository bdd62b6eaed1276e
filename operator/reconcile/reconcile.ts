// The story of one reconcile: read, delete?, judge, protect, run, conclude. It reads the world and never the status.
import { metadataOf, parseDatabase, type Database } from "../api/object";
import { specWriterOf } from "../managed-fields";
import { summaryOf, type StackResult } from "../stack/runner";
import type { DatabaseProgram, Desired } from "../stack/desired";
import { isServing } from "./conditions";
import { finalize, type Means } from "./deletion";
import { lookAtChildren, pauseBeforeRepair, type Look } from "./drift";
import { revisionOf } from "./history";
import { declaredOf, judge } from "./judge";
import { noted } from "./noted";
import { failed, settled, stalled, waiting, type Outcome } from "./outcome";
import { nameConflict, refusalOf } from "./refusal";
import { updateOf } from "./update";
import { longestHistory, type Drift, type Key, type Ports, type StackRecord } from "../ports";

/** Hooks for what must be visible while the reconcile goes on. */
export interface Progress {
  /** A run is about to begin. */
  running(reason: "Creating" | "Updating" | "TakingFinalBackup" | "Deleting"): Promise<void>;
  /** A run was carried out; what was put back by it, and whether the state had to be rebuilt. */
  changed(record: StackRecord, also: { readonly drift: readonly Drift[]; readonly rebuilt: boolean }): Promise<void>;
}

/** Brings the children of one Database to what its spec says; `object` is the Database as the API server sent it. */
export async function reconcile(key: Key, object: unknown, at: Ports, progress: Progress): Promise<Outcome> {
  const metadata = metadataOf(object);
  const by = specWriterOf(object) ?? "";
  if (metadata.deletionTimestamp !== undefined) {
    const means: Means = {
      progress,
      converge: (database, desired, shown) => converge(key, database, desired, { at, progress: shown, by }),
    };
    return finalize(key, object, at, means);
  }
  const parsed = parseDatabase(object);
  if (!parsed.ok) return stalled("SpecInvalid", parsed.problems.join("; "));
  if (parsed.database.spec.paused)
    return stalled("Paused", "spec.paused is true: nothing is changed until it is false");
  const judgement = await judge(parsed.database, at);
  if (judgement.kind === "refused") return judgement.outcome;
  return converge(key, parsed.database, judgement.desired, { at, progress, by });
}

interface Context {
  readonly at: Ports;
  readonly progress: Progress;
  /** The field manager that wrote the spec last. */
  readonly by: string;
}

async function converge(key: Key, { metadata }: Database, desired: Desired, context: Context): Promise<Outcome> {
  const { at } = context;
  const stack = at.stackName(metadata.namespace, metadata.name);
  const known = await at.records.load(key);
  const look = await lookAtChildren(key, known, stack, at);
  const digest = at.digest(desired);
  const isAsked = known?.digest !== digest || known.uid !== metadata.uid;
  const change: Change = { digest, by: context.by, look, isAsked };
  if (!change.isAsked && look.state === "readable" && look.drift.length === 0 && look.conflicts.length === 0) {
    // somebody may have taken it off
    await at.databases.addFinalizer(metadata);
    return settled();
  }
  const refused = await refusal(key, known, desired, { change, at });
  if (refused !== undefined) return refused;
  // before anything is created: from here on only a destroy lets the object go
  await at.databases.addFinalizer(metadata);
  return carryOut(key, known ?? emptyRecord(metadata.uid), desired, { change, stack, ...context });
}

/** What is to be carried out, and why. */
interface Change {
  readonly digest: string;
  /** The field manager that wrote the spec last. */
  readonly by: string;
  readonly look: Look;
  /** Whether the spec or an input differs from what the last run carried out; else only drift is put back. */
  readonly isAsked: boolean;
}

/** Why a run must not begin; undefined when it may. */
async function refusal(
  key: Key,
  known: StackRecord | undefined,
  desired: Desired,
  { change, at }: { readonly change: Change; readonly at: Ports },
): Promise<Outcome | undefined> {
  const { look, isAsked } = change;
  const hasPrimary = at.world.observe(key).members.some((member) => isServing(member) && member.role === "primary");
  const refused = await refusalOf(key, { desired, record: known, look, hasPrimary }, at.children);
  if (refused !== undefined) return refused;
  return isAsked ? undefined : pauseBeforeRepair(look.drift, known?.history ?? [], at.now());
}

const emptyRecord = (uid: string): StackRecord => ({
  checkpoint: undefined,
  digest: undefined,
  uid,
  workload: undefined,
  declared: undefined,
  history: [],
  version: "",
});

interface RunContext extends Context {
  readonly change: Change;
  readonly stack: string;
}

async function carryOut(key: Key, known: StackRecord, desired: Desired, context: RunContext): Promise<Outcome> {
  const { at, progress, change } = context;
  await progress.running(known.checkpoint === undefined ? "Creating" : "Updating");
  const passwords = await at.credentials.ensure(key);
  // marked as unfinished first: a run that is lost is made up for, and a second operator fails here, not afterwards
  const begun = await at.records.save(key, { ...known, digest: undefined });
  const began = at.now().getTime();
  const ran = await run(key, known, { desired, passwords }, context);
  const seconds = (at.now().getTime() - began) / 1000;
  const record = { ...begun, uid: desired.owner.uid };
  return conclude(key, ran.result, record, { desired, context, rebuilt: ran.rebuilt, change, seconds });
}

interface Ran {
  readonly result: StackResult;
  /** Whether there was something that a state should have told of, and none that could be read. */
  readonly rebuilt: boolean;
}

async function run(key: Key, known: StackRecord, program: DatabaseProgram, context: RunContext): Promise<Ran> {
  const { at, stack, change } = context;
  const up = { key, operation: "up", summary: summaryOf } as const;
  const exists = at.world.observe(key).workload !== undefined;
  const update = await updateOf(key, { record: known, look: change.look }, program, at.children);
  if (update !== undefined) {
    const result = await noted(up, at, () => at.stacks.up({ ...update, stack, signal: at.signal }));
    if (result.kind !== "corrupt") return { result, rebuilt: false };
    // those that the state vouched for have not been asked about yet
    const conflicts = await at.children.conflicts(key, new Set());
    if (conflicts.length > 0) return { result: unreadableWith(conflicts, known.checkpoint), rebuilt: false };
  }
  // names and field manager are fixed, so a run without state adopts what exists
  const adopting = { ...program, ...(await at.children.prepareAdoption(key)) };
  const request = { stack, program: adopting, signal: at.signal, checkpoint: undefined };
  return { result: await noted(up, at, () => at.stacks.up(request)), rebuilt: exists };
}

const unreadableWith = (conflicts: readonly string[], checkpoint: string | undefined): StackResult => ({
  kind: "failed",
  problem: { message: `the state cannot be read, and is not rebuilt: ${nameConflict(conflicts)}`, resource: undefined },
  checkpoint,
});

interface Conclusion {
  readonly desired: Desired;
  readonly context: Context;
  readonly change: Change;
  readonly rebuilt: boolean;
  readonly seconds: number;
}

async function conclude(
  key: Key,
  result: StackResult,
  record: StackRecord,
  { desired, context: { at, progress }, change, rebuilt, seconds }: Conclusion,
): Promise<Outcome> {
  switch (result.kind) {
    case "succeeded": {
      const { checkpoint, workload, changes } = result;
      const revision = revisionOf(record, { change, summary: summaryOf(changes), seconds, at: at.now() });
      const history = [revision, ...record.history].slice(0, longestHistory);
      // the volume of backups that were switched off is still there
      const declared = { ...record.declared, ...declaredOf(desired.spec) };
      const done = { ...record, checkpoint, workload, declared, history, digest: change.digest };
      const saved = await at.records.save(key, done);
      await progress.changed(saved, { drift: change.look.drift, rebuilt });
      return settled();
    }
    case "failed":
    case "timedOut": {
      await at.records.save(key, { ...record, checkpoint: result.checkpoint ?? record.checkpoint });
      if (at.signal.aborted) return waiting("Updating", "the operator stopped; its successor goes on", 0);
      return failed(result.kind === "failed" ? "RunFailed" : "RunTimedOut", describe(result.problem));
    }
    case "corrupt":
      return failed("StateCorrupt", result.problem.message);
  }
}

function describe({ message, resource }: { message: string; resource: string | undefined }): string {
  return resource === undefined ? message : `${resource}: ${message}`;
}
