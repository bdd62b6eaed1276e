// The story of one reconcile: read, delete?, judge, wait?, protect, run, conclude. It reads the world and never the status.
import type { ObservedDatabase } from "../domain/observed-database";
import type { FailureReason } from "../api/reasons";
import type { Database, DatabaseMetadata } from "../api/object";
import { restartsOf } from "../rollout/restarts";
import { rollOut, type Rollout } from "../rollout/rollout";
import { summaryOf, type StackResult } from "../domain/runner";
import { stackOf } from "../domain/stack-names";
import type { Desired } from "../domain/desired";
import { isServing } from "./conditions";
import { finalize, type ConvergeHooks } from "./deletion";
import { acceptedFrom, keepAccepted, withGrowing, type Keep } from "./accepted";
import {
  lookAtChildren,
  pauseBeforeRepair,
  undeclared,
  withoutGrown,
  withoutNamed,
  type Look,
  allDrift,
} from "./drift";
import { firstBackupOf } from "./first-backup";
import { awaitRestore, begun, restoreStep } from "./restore";
import { withGrowth } from "./growth";
import { formedNow, wholeBefore } from "./held";
import { withRevision } from "./history";
import { declaredOf, judge } from "./judge";
import { due, failed, settled, stalled, waiting, type Outcome } from "../domain/outcome";
import type { Agreed, Standing } from "../domain/pending";
import { agreedTo, hasComeThrough, withRun, withThrough } from "../policy/ledger";
import { gate } from "./gate";
import { withRecorded } from "./recorded";
import { clearanceOf, type Clearance } from "./refusal";
import { firstRun } from "./rival";
import { runStack } from "./run";
import { targetOf, type Target } from "./target";
import { beginUpgrade, confirmationIn, nextPhase, wishIn } from "./upgrade";
import { resumeUpgrade } from "./upgrade-lost";
import type { Key } from "../domain/key";
import type { ChildName, Drift } from "../domain/children";
import { emptyRecord, type StackRecord } from "../domain/records";
import type { Turn } from "./turn";
import { type Ports } from "../domain/ports";

/** Brings the children of one Database to what its spec says. */
export async function reconcile(key: Key, database: ObservedDatabase, at: Ports, turn: Turn): Promise<Outcome> {
  const { metadata, writer: by } = database;
  const lost = await resumeUpgrade(key, metadata, { at, looksOnly: turn.looksOnly === true });
  if (lost !== undefined) return lost;
  if (metadata.deletionTimestamp !== undefined) {
    at.fleet.forget(key);
    const bring: ConvergeHooks["converge"] = (wanted, desired, shown) =>
      converge(key, wanted, desired, { at, turn: shown, by, isKept: true });
    const hooks: ConvergeHooks = {
      turn,
      converge: bring,
      advance: async (wanted, desired, shown) => {
        const phase = { at, looksOnly: shown.looksOnly === true, wish: await wishIn(key, database, at) };
        return nextPhase(key, wanted, await bring(wanted, desired, shown), phase);
      },
    };
    return finalize(key, database, at, hooks);
  }
  const outcome = await carryOn(key, database, { at, turn, by });
  if (outcome.kind !== "stalled" || database.isPaused) return outcome;
  const silent = { at, by, turn: inSilence(turn), isKept: true, waits: outcome.pending !== undefined };
  const keep: Keep = async (accepted, desired) => {
    const kept = await converge(key, accepted, outcome.pending ? withGrowing(desired, database) : desired, silent);
    const wish = outcome.pending && (await confirmationIn(key, database, at));
    return nextPhase(key, accepted, kept, { at, looksOnly: turn.looksOnly === true, wish });
  };
  return keepAccepted(key, metadata, outcome, { at, keep });
}

/** What is asked for now, or why it cannot be had. */
async function carryOn(key: Key, observed: ObservedDatabase, context: Context, isAlone = false): Promise<Outcome> {
  const { at, turn } = context;
  const { parsed } = observed;
  if (!parsed.ok) return stalled("SpecInvalid", parsed.problems.join("; "));
  if (parsed.database.spec.paused)
    return stalled("Paused", "spec.paused is true: nothing is changed until it is false");
  const judgement = await judge(parsed.database, at, (await at.records.load(key))?.upgrade);
  if (judgement.kind === "refused") return judgement.outcome;
  const { desired } = judgement;
  const passed = await gate(key, observed, desired, { at, looksOnly: turn.looksOnly === true, isAlone });
  if (passed.kind === "shut") return passed.outcome;
  if (passed.kind === "beside") {
    const without = { isKept: true, waits: true, beside: passed.wish };
    const came = await converge(key, parsed.database, desired, { ...context, ...without });
    return came.kind === "settled" ? carryOn(key, observed, context, true) : came;
  }
  const outcome = await begin(key, parsed.database, desired, { ...context, wished: passed.wished });
  if (outcome.kind === "settled") await noteThrough(key, passed.wished, at);
  return outcome;
}

async function noteThrough(key: Key, wished: Standing, { records }: Ports): Promise<void> {
  const record = await records.load(key);
  if (record !== undefined && !hasComeThrough(record, wished)) await records.save(key, withThrough(record, wished));
}

/** Brings the children to what is desired, after the data of a new Database are there that come from a backup. */
async function begin(key: Key, database: Database, desired: Desired, context: Context): Promise<Outcome> {
  const step = await restoreStep(key, database, context.at);
  if (step.kind === "wait") return step.outcome;
  if (step.kind === "none") return convergeInPhase(key, database, desired, context);
  const { restore } = step;
  const converged = await converge(key, database, { ...desired, restore }, context);
  if (converged.kind !== "settled") return converged;
  return (await awaitRestore(key, database, restore, context.at)) ?? converge(key, database, desired, context);
}

async function convergeInPhase(key: Key, database: Database, desired: Desired, context: Context): Promise<Outcome> {
  const { version: wanted, upgrade } = database.spec;
  const wish = { wanted, confirmed: upgrade?.confirmed };
  const phase = { at: context.at, looksOnly: context.turn.looksOnly === true, wish };
  const refusal = await beginUpgrade(key, database, desired, phase);
  return refusal ?? nextPhase(key, database, await converge(key, database, desired, context), phase);
}

/** A turn that becomes about something else while it runs. */
const inSilence = (turn: Turn): Turn => ({
  looksOnly: turn.looksOnly,
  running: () => undefined,
  changed: (...change) => {
    turn.changed(...change);
  },
});

const isAsLeft = ({ state, drift, conflicts }: Look): boolean =>
  state === "readable" && drift.length === 0 && conflicts.length === 0;

const isOfAnother = (record: StackRecord | undefined, { uid }: DatabaseMetadata): boolean =>
  record !== undefined && record.uid !== uid;

interface Context {
  readonly at: Ports;
  readonly turn: Turn;
  /** The field manager that wrote the spec last. */
  readonly by: string;
  /** Whether what was accepted last is kept up, while the present spec cannot be had. */
  readonly isKept?: boolean;
  /** Whether that is so because a change waits. */
  readonly waits?: boolean;
  /** What is asked for, and was let through; missing where what was accepted is kept up. */
  readonly wished?: Standing;
  /** What is asked for, as a digest, where it passes without a release of the operator that waits. Missing: it does not. */
  readonly beside?: string;
}

async function converge(key: Key, { metadata }: Database, wanted: Desired, context: Context): Promise<Outcome> {
  const { at, turn } = context;
  const stack = stackOf(key);
  const before = await at.records.load(key);
  const sized = await withGrowth(
    key,
    { known: before, desired: withRecorded(wanted, before, at.world.catalogue) },
    { at, metadata, looksOnly: turn.looksOnly === true },
  );
  if (sized.isDue) return due();
  const { known, desired } = sized;
  const target = await targetOf(known, desired, context);
  if ("kind" in target) return target;
  const look = withoutNamed(await lookFor(key, known, desired, { ...context, stack }), target.memberTemplate);
  const takenOver = isOfAnother(known, metadata);
  const drift = allDrift(look.drift, known?.restoring);
  const change: Change = { ...target, by: context.by, look, drift, isAsked: target.isAsked || takenOver, takenOver };
  if (known !== undefined && !change.isAsked && isAsLeft(look)) {
    // it may have been taken off
    await at.databases.addFinalizer(metadata);
    return roll({ key, metadata, record: known, spec: desired.spec }, desired, at);
  }
  if (turn.looksOnly) return due();
  const go = async (): Promise<Outcome> => {
    const clearance = await clear(key, known, desired, { change, at });
    // before anything is created: from here on only a destroy lets the object go; and where a record says what there was, it goes with that
    if (clearance.kind === "clear" || known?.checkpoint !== undefined) await at.databases.addFinalizer(metadata);
    if (clearance.kind === "refused") return clearance.outcome;
    const { ours } = clearance;
    const first = { ...(known ?? emptyRecord(metadata.uid)), ...sized.adopted };
    const record = await withRestore(key, first, desired, at);
    return carryOut(key, record, desired, { change, stack, ours, metadata, ...context });
  };
  return known === undefined ? firstRun(key, at, go) : go();
}

/**
 * What became of the children. Where what was accepted is kept up, a volume grown by hand stays so, and the others are restored; but a
 * run that begins by reading the cluster would shrink it.
 */
async function lookFor(
  key: Key,
  known: StackRecord | undefined,
  desired: Desired,
  { at, stack, isKept = false }: Context & { readonly stack: string },
): Promise<Look> {
  const look = await lookAtChildren(key, known, stack, at);
  if (!isKept) at.onDrift({ key, state: "found", drift: look.drift });
  return isKept && known?.digest !== undefined ? withoutGrown(look, desired) : look;
}

/** What must be applied, and why. */
interface Change extends Target {
  /** The field manager that wrote the spec last. */
  readonly by: string;
  readonly look: Look;
  /** All that the run restores, with what earlier runs had begun to restore when they failed. */
  readonly drift: readonly Drift[];
  /** Whether the record is of another object of this name. */
  readonly takenOver: boolean;
}

/** Whether a run may begin, or why not. */
async function clear(
  key: Key,
  known: StackRecord | undefined,
  desired: Desired,
  { change, at }: { readonly change: Change; readonly at: Ports },
): Promise<Clearance> {
  const { look, isAsked } = change;
  const hasPrimary = at.world.observe(key).members.some((member) => isServing(member) && member.role === "primary");
  const clearance = await clearanceOf(key, { desired, record: known, look, hasPrimary }, at.children);
  if (clearance.kind === "refused" || isAsked) return clearance;
  const pause = pauseBeforeRepair(look.drift, known?.history ?? [], at.now());
  return pause === undefined ? clearance : { kind: "refused", outcome: pause };
}

const withRestore = async (key: Key, record: StackRecord, desired: Desired, at: Ports): Promise<StackRecord> =>
  desired.restore === undefined || record.restored?.uid === desired.owner.uid
    ? record
    : at.records.save(key, { ...record, restored: begun(desired, desired.restore) });

interface RunContext extends Context {
  readonly metadata: DatabaseMetadata;
  readonly change: Change;
  readonly stack: string;
  /** Children that exist and that the stored state does not know, with their UIDs. */
  readonly ours: ReadonlyMap<ChildName, string>;
}

/**
 * Runs, and then writes the record once. A run that is lost with its operator leaves the record as it was: where the
 * spec has moved on, the digest shows it; where it is back at what it was, what the lost run did shows as drift.
 */
async function carryOut(key: Key, known: StackRecord, desired: Desired, context: RunContext): Promise<Outcome> {
  const { at, turn, ours, change } = context;
  const existing = new Set([...change.look.trusted, ...ours.keys()]);
  turn.running(known.checkpoint === undefined ? "Creating" : "Updating");
  const passwords = await at.credentials.ensure(key, { existing, isFirst: known.checkpoint === undefined });
  const began = at.now().getTime();
  const { memberTemplate } = change;
  const own = { ...(memberTemplate !== undefined && { memberTemplate }), ...firstBackupOf(key, desired.owner, at) };
  const ran = await runStack(key, known, { desired, passwords, ...own }, context);
  const seconds = (at.now().getTime() - began) / 1000;
  const record = { ...known, uid: desired.owner.uid };
  return conclude(key, ran.result, record, { desired, context, rebuilt: ran.rebuilt, seconds });
}

interface Conclusion {
  readonly desired: Desired;
  readonly context: RunContext;
  readonly rebuilt: boolean;
  readonly seconds: number;
}

async function conclude(key: Key, result: StackResult, record: StackRecord, ran: Conclusion): Promise<Outcome> {
  switch (result.kind) {
    case "succeeded":
      return succeed(key, result, record, ran);
    case "failed":
    case "refused":
    case "timedOut":
      return fall(key, result, record, ran.context);
    case "corrupt":
      return failed("StateCorrupt", result.problem.message);
  }
}

const failureReasons = {
  failed: "RunFailed",
  refused: "ReplaceRefused",
  timedOut: "RunTimedOut",
} as const satisfies Partial<Record<StackResult["kind"], FailureReason>>;

/** Half of what was asked for may be there: that is nothing to go back to, nor to continue with once it was taken back. It was agreed to, though. */
async function fall(
  key: Key,
  result: Extract<StackResult, { kind: keyof typeof failureReasons }>,
  record: StackRecord,
  { at, stack, change, isKept = false, wished }: RunContext,
): Promise<Outcome> {
  const checkpoint = result.checkpoint === undefined ? record.checkpoint : await at.keep(result.checkpoint, stack);
  const accepted = isKept || !change.isAsked ? record.accepted : undefined;
  const { drift: restoring } = change;
  const agreed = wished === undefined ? record.agreed : triedOf(record, wished, change);
  const whole = change.takenOver ? undefined : wholeBefore(record);
  await at.records.save(key, { ...record, checkpoint, digest: undefined, accepted, whole, agreed, restoring });
  if (at.signal.aborted) return waiting("Updating", "the operator stopped; its successor continues", 0);
  return failed(failureReasons[result.kind], describe(result.problem));
}

/** Only what this very Database came through may be gone back to. */
const triedOf = ({ agreed, history }: StackRecord, wished: Standing, { takenOver }: Change): Agreed =>
  agreedTo(history.length === 0 || takenOver ? undefined : agreed, wished);

async function succeed(
  key: Key,
  { checkpoint, workload, changes }: Extract<StackResult, { kind: "succeeded" }>,
  record: StackRecord,
  { desired, context: { at, turn, change, stack, metadata, wished, beside }, rebuilt, seconds }: Conclusion,
): Promise<Outcome> {
  // the volume of backups that were switched off is still there
  const declared = { ...record.declared, ...declaredOf(desired.spec) };
  const restarts = restartsOf(record, { checkpoint, workload });
  const history = withRevision(record, {
    ...{ change, seconds, metadata, restarts, desired, wish: wished?.wish ?? beside, release: at.release },
    ...{ summary: summaryOf(changes), at: at.now(), areAuthorsKnown: at.changes.areApprovalsJudged },
    ...{ last: at.lastRevision(key, metadata.uid), digestOf: at.digest },
  });
  const kept = await at.keep(checkpoint, stack);
  const { digest, look, drift, takenOver } = change;
  const accepted = acceptedFrom(desired);
  const saved = await at.records.save(key, {
    ...record,
    checkpoint: kept,
    workload,
    declared,
    history,
    digest,
    accepted,
    whole: undefined,
    ...(wished && { agreed: withRun(record.agreed, wished) }),
    ...formedNow(at, change),
    keptBackups: desired.keptBackups,
    restoring: [],
  });
  await at.children.remove(key, undeclared(look.drift, kept.marks));
  at.onDrift({ key, state: "repaired", drift });
  turn.changed(saved, { drift, rebuilt, takenOver });
  return roll({ key, metadata, record: saved, spec: desired.spec }, desired, at);
}

/** Members that are about to go are not restarted, and their last backup does not wait for that; before the data are there is none. */
const roll = (rollout: Rollout, { restore, finalBackup, upgrade }: Desired, at: Ports): Promise<Outcome> =>
  restore === undefined && finalBackup === undefined && (upgrade?.members ?? "all") === "all"
    ? rollOut(rollout, at)
    : Promise.resolve(settled());

function describe({ message, resource }: { message: string; resource: string | undefined }): string {
  return resource === undefined ? message : `${resource}: ${message}`;
}
