// The story of one reconcile: read, delete?, judge, protect, run, conclude. It reads the world and never the status.
import { metadataOf, parseDatabase, type Database } from "../api/object";
import { summaryOf, type StackResult } from "../stack/runner";
import type { Desired } from "../stack/desired";
import { finalize } from "./deletion";
import { judge, judgeUpgrade } from "./judge";
import { failed, gone, settled, stalled, type Outcome } from "./outcome";
import type { Key, Ports, StackRecord } from "../ports";

/** Hooks for what must be visible while the reconcile goes on. */
export interface Progress {
  /** A run is about to begin. */
  running(reason: "Creating" | "Updating" | "Deleting"): Promise<void>;
  /** A run changed something. */
  changed(record: StackRecord): Promise<void>;
}

/** Brings the children of one Database to what its spec says. */
export async function reconcile(key: Key, at: Ports, progress: Progress): Promise<Outcome> {
  const object = at.world.database(key);
  if (object === undefined) return gone();
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
  if (known !== undefined && known.digest === digest && known.uid === metadata.uid) return settled();
  const refused = await refusal(key, known, desired, at);
  if (refused !== undefined) return refused;
  // before anything is created: from here on only a destroy lets the object go
  await at.databases.addFinalizer(metadata);
  await progress.running(known?.checkpoint === undefined ? "Creating" : "Updating");
  const record = known ?? (await at.records.save(key, emptyRecord(metadata.uid)));
  const passwords = await at.credentials.ensure(key);
  const result = await run(key, record, { desired, passwords }, at);
  return conclude(key, result, { ...record, uid: metadata.uid }, { digest, desired, context });
}

/** Why a run must not begin; undefined when it may. */
async function refusal(
  key: Key,
  known: StackRecord | undefined,
  desired: Desired,
  at: Ports,
): Promise<Outcome | undefined> {
  const upgrade = judgeUpgrade(known?.serverVersion ?? "", desired.spec.version);
  if (upgrade !== undefined || known?.checkpoint !== undefined) return upgrade;
  const conflicts = await at.children.conflicts(key);
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

async function run(
  key: Key,
  record: StackRecord,
  program: Parameters<Ports["stacks"]["up"]>[0]["program"],
  at: Ports,
): Promise<StackResult> {
  const { name, namespace } = program.desired.owner;
  const request = {
    stack: at.stackName(namespace, name),
    program,
    signal: at.signal,
    // without a digest the last run did not finish, and with another owner the children may be gone: look before comparing
    refresh:
      record.checkpoint !== undefined && (record.digest === undefined || record.uid !== program.desired.owner.uid),
  };
  if (record.checkpoint !== undefined) {
    const result = await timed(key, at, () => at.stacks.up({ ...request, checkpoint: record.checkpoint }));
    if (result.kind !== "corrupt") return result;
  }
  // names and field manager are fixed, so a run without state adopts what exists
  const adopting = { ...program, claimTemplateStorage: await at.children.claimTemplateStorage(key) };
  return timed(key, at, () => at.stacks.up({ ...request, program: adopting, checkpoint: undefined, refresh: false }));
}

async function timed(key: Key, at: Ports, act: () => Promise<StackResult>): Promise<StackResult> {
  const began = at.now().getTime();
  const result = await act();
  const seconds = (at.now().getTime() - began) / 1000;
  const message = result.kind === "succeeded" ? summaryOf(result.changes) : result.problem.message;
  at.onRun({ key, operation: "up", result: result.kind, seconds, message });
  return result;
}

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
      const checkpoint = result.checkpoint ?? record.checkpoint;
      await at.records.save(key, { ...record, checkpoint, digest: undefined });
      return failed(result.kind === "failed" ? "RunFailed" : "RunTimedOut", describe(result.problem));
    }
    case "corrupt":
      return failed("StateCorrupt", result.problem.message);
  }
}

function describe({ message, resource }: { message: string; resource: string | undefined }): string {
  return resource === undefined ? message : `${resource}: ${message}`;
}
