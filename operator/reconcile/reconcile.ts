// The story of one reconcile: read, delete?, judge, protect, run, conclude. It reads the world and never the status.
import { metadataOf, parseDatabase, type Database } from "../api/object";
import { objectsIn } from "../stack/checkpoint";
import { summaryOf, type StackResult } from "../stack/runner";
import type { DatabaseProgram, Desired } from "../stack/desired";
import { finalize } from "./deletion";
import { judge, judgeUpgrade } from "./judge";
import { noted } from "./noted";
import { failed, settled, stalled, waiting, type Outcome } from "./outcome";
import type { Key, Ports, StackRecord } from "../ports";

/** Hooks for what must be visible while the reconcile goes on. */
export interface Progress {
  /** A run is about to begin. */
  running(reason: "Creating" | "Updating" | "Deleting"): Promise<void>;
  /** A run changed something. */
  changed(record: StackRecord): Promise<void>;
}

/** Brings the children of one Database to what its spec says; `object` is the Database as the API server sent it. */
export async function reconcile(key: Key, object: unknown, at: Ports, progress: Progress): Promise<Outcome> {
  const metadata = metadataOf(object);
  if (metadata.deletionTimestamp !== undefined) return finalize(key, object, at, progress);
  const parsed = parseDatabase(object);
  if (!parsed.ok) return stalled("SpecInvalid", parsed.problems.join("; "));
  if (parsed.database.spec.paused)
    return stalled("Paused", "spec.paused is true: nothing is changed until it is false");
  const judgement = await judge(parsed.database, at);
  if (judgement.kind === "refused") return judgement.outcome;
  return converge(key, parsed.database, judgement.desired, { at, progress });
}

interface Context {
  readonly at: Ports;
  readonly progress: Progress;
}

async function converge(key: Key, { metadata }: Database, desired: Desired, context: Context): Promise<Outcome> {
  const { at, progress } = context;
  const digest = at.digest(desired);
  const known = await at.records.load(key);
  if (known !== undefined && known.digest === digest && known.uid === metadata.uid) {
    // somebody may have taken it off
    await at.databases.addFinalizer(metadata);
    return settled();
  }
  const refused = await refusal(key, known, desired, at);
  if (refused !== undefined) return refused;
  // before anything is created: from here on only a destroy lets the object go
  await at.databases.addFinalizer(metadata);
  await progress.running(known?.checkpoint === undefined ? "Creating" : "Updating");
  const passwords = await at.credentials.ensure(key);
  // marked as unfinished first: a run that is lost is made up for, and a second operator fails here, not afterwards
  const begun = await at.records.save(key, { ...(known ?? emptyRecord(metadata.uid)), digest: undefined });
  const result = await run(
    key,
    begun,
    { program: { desired, passwords }, refresh: mustRefresh(known, metadata.uid) },
    at,
  );
  return conclude(key, result, { ...begun, uid: metadata.uid }, { digest, desired, context });
}

/** Without a digest the last run did not finish, and with another owner the children may be gone: look before comparing. */
function mustRefresh(known: StackRecord | undefined, uid: string): boolean {
  return known?.checkpoint !== undefined && (known.digest === undefined || known.uid !== uid);
}

/** Why a run must not begin; undefined when it may. */
async function refusal(
  key: Key,
  known: StackRecord | undefined,
  desired: Desired,
  at: Ports,
): Promise<Outcome | undefined> {
  const upgrade = judgeUpgrade(known?.serverVersion ?? "", desired.spec.version);
  if (upgrade !== undefined) return upgrade;
  const conflicts = await at.children.conflicts(key, objectsIn(known?.checkpoint ?? ""));
  return conflicts.length > 0 ? stalled("NameConflict", nameConflict(conflicts)) : undefined;
}

function nameConflict(conflicts: readonly string[]): string {
  return `not made by this Database, and left as it is: ${conflicts.join(", ")}; remove it or choose another name`;
}

const emptyRecord = (uid: string): StackRecord => ({
  checkpoint: undefined,
  digest: undefined,
  uid,
  revision: 0,
  summary: "",
  changedAt: "",
  workload: undefined,
  serverVersion: "",
  version: "",
});

interface RunArgs {
  readonly program: DatabaseProgram;
  readonly refresh: boolean;
}

async function run(
  key: Key,
  { checkpoint }: StackRecord,
  { program, refresh }: RunArgs,
  at: Ports,
): Promise<StackResult> {
  const { name, namespace } = program.desired.owner;
  const up = { key, operation: "up", summary: summaryOf } as const;
  const request = { stack: at.stackName(namespace, name), program, signal: at.signal };
  if (checkpoint !== undefined) {
    const result = await noted(up, at, () => at.stacks.up({ ...request, checkpoint, refresh }));
    if (result.kind !== "corrupt") return result;
    const conflicts = await at.children.conflicts(key, new Set());
    if (conflicts.length > 0) return unreadableWith(conflicts, checkpoint);
  }
  // names and field manager are fixed, so a run without state adopts what exists
  const adopting = { ...program, ...(await at.children.prepareAdoption(key)) };
  return noted(up, at, () => at.stacks.up({ ...request, program: adopting, checkpoint: undefined }));
}

const unreadableWith = (conflicts: readonly string[], checkpoint: string): StackResult => ({
  kind: "failed",
  problem: { message: `the state cannot be read, and is not rebuilt: ${nameConflict(conflicts)}`, resource: undefined },
  checkpoint,
});

async function conclude(
  key: Key,
  result: StackResult,
  record: StackRecord,
  { digest, desired, context: { at, progress } }: { digest: string; desired: Desired; context: Context },
): Promise<Outcome> {
  switch (result.kind) {
    case "succeeded": {
      const saved = await at.records.save(key, {
        ...record,
        checkpoint: result.checkpoint,
        digest,
        revision: record.revision + 1,
        summary: summaryOf(result.changes),
        changedAt: at.now().toISOString(),
        workload: result.workload,
        serverVersion: desired.spec.version,
      });
      await progress.changed(saved);
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
