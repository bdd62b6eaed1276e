// The story of one reconcile: read, delete?, judge, wait?, protect, run, conclude. It reads the world and never the status.
import type { ObservedDatabase } from "../domain/observed-database";
import type { Database, DatabaseMetadata } from "../api/object";
import { stackOf } from "../domain/stack-names";
import type { Desired } from "../domain/desired";
import { isServing } from "./conditions";
import { finalize, type ConvergeHooks } from "./deletion";
import { isAboutWishes, keepAccepted, withGrowing, type Keep } from "./accepted";
import { carryOut, roll, type Change, type Context } from "./carry-out";
import { lookAtChildren, pauseBeforeRepair, withoutGrown, withoutNamed, type Look, allDrift } from "./drift";
import { awaitRestore, begun, restoreStep } from "./restore";
import { withGrowth } from "./growth";
import { judge } from "./judge";
import { due, stalled, type Outcome } from "../domain/outcome";
import type { Standing } from "../domain/pending";
import { hasComeThrough, withThrough } from "../policy/ledger";
import { gate } from "./gate";
import { withRecorded } from "./recorded";
import { clearanceOf, type Clearance } from "./refusal";
import { firstRun } from "./rival";
import { renewAlone } from "./renewal";
import { targetOf, withDue, withRenewal } from "./target";
import { begunWith } from "./tls";
import { tlsBefore } from "./tls-before";
import { beginUpgrade, confirmationIn, nextPhase, wishIn } from "./upgrade";
import { resumeUpgrade } from "./upgrade-lost";
import type { Key } from "../domain/key";
import { emptyRecord, type StackRecord } from "../domain/records";
import type { Turn } from "./turn";
import { type Ports } from "../domain/ports";

/** Brings the children of one Database to what its spec says. Certificates that are due do not wait for what keeps it from that. */
export async function reconcile(key: Key, database: ObservedDatabase, at: Ports, turn: Turn): Promise<Outcome> {
  const outcome = await reconcileAll(key, database, at, turn);
  const { metadata } = database;
  const isOver = metadata.deletionTimestamp !== undefined || at.signal.aborted;
  if (isOver || !isKeptBack(outcome)) return outcome;
  return withRenewal(outcome, await renewAlone(key, metadata, { at, turn: inSilence(turn) }));
}

const isKeptBack = ({ kind }: Outcome): boolean => kind === "stalled" || kind === "failed" || kind === "waiting";

async function reconcileAll(key: Key, database: ObservedDatabase, at: Ports, turn: Turn): Promise<Outcome> {
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
  if (outcome.kind !== "stalled") return outcome;
  if (database.isPaused || !isAboutWishes(outcome)) return outcome;
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

async function converge(key: Key, { metadata }: Database, wanted: Desired, context: Context): Promise<Outcome> {
  const { at, turn } = context;
  const stack = stackOf(key);
  const loaded = await at.records.load(key);
  const tls = await tlsBefore(key, wanted, loaded, at);
  const before = await withTlsBefore(key, loaded, begunWith(wanted, tls), at);
  const sized = await withGrowth(
    key,
    { known: before, desired: withRecorded(wanted, { record: before, tls }, at.world.catalogue) },
    { at, metadata, looksOnly: turn.looksOnly === true },
  );
  if (sized.isDue) return due();
  const { known, desired } = sized;
  const target = await targetOf(known, desired, context);
  if ("kind" in target) return target;
  const look = withoutNamed(await lookFor(key, known, desired, { ...context, stack }), target.memberTemplate);
  const takenOver = isOfAnother(known, metadata);
  const drift = allDrift(look.drift, known?.restoring);
  const asked = { ...target, isAsked: target.isAsked || takenOver };
  const change: Change = { ...withDue(asked, { known, desired, drift }, at), by: context.by, look, drift, takenOver };
  if (known !== undefined && !change.isAsked && isAsLeft(look)) {
    // it may have been taken off
    await at.databases.addFinalizer(metadata);
    return roll({ key, metadata, record: known, spec: desired.spec }, desired, { at, looksOnly: turn.looksOnly });
  }
  if (turn.looksOnly) return due();
  const go = async (): Promise<Outcome> => {
    const clearance = await clear(key, known, desired, { change, at });
    // before anything is created: from here on only a destroy lets the object go; and where a record says what there was, it goes with that
    if (clearance.kind === "clear" || known?.checkpoint !== undefined) await at.databases.addFinalizer(metadata);
    if (clearance.kind === "refused") return clearance.outcome;
    const { ours } = clearance;
    const empty = known ?? emptyRecord(metadata.uid);
    const first = { ...empty, ...sized.adopted, ...begunWith(desired, tls) };
    const record = await withRestore(key, first, desired, at);
    return carryOut(key, record, desired, { change, stack, ours, metadata, ...context });
  };
  return known === undefined ? firstRun(key, at, go) : go();
}

/** What was found out once is remembered: of a record of an operator that knew no TLS, which may stay as it is for long. */
const withTlsBefore = async (
  key: Key,
  record: StackRecord | undefined,
  { tls }: Pick<StackRecord, "tls">,
  { records }: Pick<Ports, "records">,
): Promise<StackRecord | undefined> =>
  record === undefined || tls === undefined || record.tls !== undefined
    ? record
    : records.save(key, { ...record, tls });

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
