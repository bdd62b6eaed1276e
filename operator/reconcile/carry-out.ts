// The run of what a Database shall be, and what becomes of its result: the record, the history, and the members' restarts.
import type { FailureReason } from "../api/reasons";
import type { DatabaseMetadata } from "../api/object";
import type { ChildName, Drift } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import { failed, settled, waiting, type Outcome } from "../domain/outcome";
import type { Agreed, Standing } from "../domain/pending";
import type { Issued, Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { summaryOf, type StackResult } from "../domain/runner";
import { modeOf } from "../domain/tls";
import { agreedTo, withRun } from "../policy/ledger";
import { restartsOf } from "../rollout/restarts";
import { rollOut, type Rollout } from "../rollout/rollout";
import { acceptedFrom } from "./accepted";
import { undeclared, type Look } from "./drift";
import { firstBackupOf } from "./first-backup";
import { formedNow, wholeBefore } from "./held";
import { withRevision } from "./history";
import { declaredOf } from "./judge";
import { runStack } from "./run";
import type { Target } from "./target";
import { afterFailure } from "./renewal";
import { tlsAfter, tlsStep, withIssued } from "./tls";
import type { Turn } from "./turn";

/** In what a Database is reconciled. */
export interface Context {
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

/** What must be applied, and why. */
export interface Change extends Target {
  /** The field manager that wrote the spec last. */
  readonly by: string;
  readonly look: Look;
  /** All that the run restores, with what earlier runs had begun to restore when they failed. */
  readonly drift: readonly Drift[];
  /** Whether the record is of another object of this name. */
  readonly takenOver: boolean;
  /** Whether it is for certificates alone that must be renewed. Missing: it is not. */
  readonly isRenewal?: boolean;
  /** Whether members get another mode of TLS. Missing: they do not. */
  readonly isTlsStep?: boolean;
}

/** In what a run takes place. */
export interface RunContext extends Context {
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
export async function carryOut(key: Key, known: StackRecord, desired: Desired, context: RunContext): Promise<Outcome> {
  const { at, turn, ours, change } = context;
  const existing = new Set([...change.look.trusted, ...ours.keys()]);
  turn.running(known.checkpoint === undefined ? "Creating" : "Updating");
  const asked = at.now();
  const circumstances = { existing, isFirst: known.checkpoint === undefined };
  const [passwords, issued] = await Promise.all([
    at.credentials.ensure(key, circumstances),
    modeOf(desired) === "Off"
      ? undefined
      : at.certificates.ensure(key, { ...circumstances, published: known.tls?.published ?? {} }),
  ]);
  const began = at.now().getTime();
  const { memberTemplate } = change;
  const own = {
    ...(issued !== undefined && { certificates: issued.pem }),
    ...(memberTemplate !== undefined && { memberTemplate }),
    ...firstBackupOf(key, desired.owner, at),
  };
  const ran = await runStack(key, known, { desired, passwords, ...own }, context);
  const seconds = (at.now().getTime() - began) / 1000;
  const record = { ...known, uid: desired.owner.uid, ...tlsAfter(known, desired) };
  return conclude(key, ran.result, record, { desired, context, rebuilt: ran.rebuilt, seconds, issued, asked });
}

interface Conclusion {
  readonly desired: Desired;
  readonly context: RunContext;
  readonly rebuilt: boolean;
  readonly seconds: number;
  /** What members are known by; undefined where they have no certificate. */
  readonly issued: Issued | undefined;
  /** When that was asked. */
  readonly asked: Date;
}

async function conclude(key: Key, result: StackResult, record: StackRecord, ran: Conclusion): Promise<Outcome> {
  switch (result.kind) {
    case "succeeded":
      return succeed(key, result, record, ran);
    case "failed":
    case "refused":
    case "timedOut":
      return fall(key, result, { ...record, ...(await shown(key, record, ran)) }, ran.context);
    case "corrupt":
      return failed("StateCorrupt", result.problem.message);
  }
}

const failureReasons = {
  failed: "RunFailed",
  refused: "ReplaceRefused",
  timedOut: "RunTimedOut",
} as const satisfies Partial<Record<StackResult["kind"], FailureReason>>;

/** What members are known by, as far as that can be found out. */
const shown = (key: Key, record: StackRecord, ran: Conclusion): Promise<Pick<StackRecord, "tls">> =>
  afterFailure(key, record, ran, ran.context.at).catch(() => ({}));

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
  { desired, context, rebuilt, seconds, issued, asked }: Conclusion,
): Promise<Outcome> {
  const { at, turn, change, stack, metadata, wished, beside } = context;
  const { isRenewal = false } = change;
  // the volume of backups that were switched off is still there
  const declared = { ...record.declared, ...declaredOf(desired.spec) };
  const restarts = restartsOf(record, { checkpoint, workload });
  const revised = (): StackRecord["history"] =>
    withRevision(record, {
      ...{ change, seconds, metadata, restarts, desired, wish: wished?.wish ?? beside, release: at.release },
      ...{ summary: summaryOf(changes), at: at.now(), areAuthorsKnown: at.changes.areApprovalsJudged },
      ...{ last: at.lastRevision(key, metadata.uid), digestOf: at.digest },
    });
  const history = isRenewal ? record.history : revised();
  const kept = await at.keep(checkpoint, stack);
  const { digest, look, drift, takenOver } = change;
  const accepted = acceptedFrom(desired);
  const saved = await at.records.save(key, {
    ...record,
    ...withIssued(record, issued, { asked, at: at.now() }),
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
  turn.changed(saved, { drift, rebuilt, takenOver, isRenewal });
  return roll({ key, metadata, record: saved, spec: desired.spec }, desired, { at });
}

/** Members that are about to go are not restarted, and their last backup does not wait for that; before the data are there is none. */
export async function roll(
  rollout: Rollout & { readonly record: StackRecord },
  desired: Desired,
  { at, looksOnly = false }: { readonly at: Ports; readonly looksOnly?: boolean | undefined },
): Promise<Outcome> {
  const { restore, finalBackup, upgrade } = desired;
  if (restore !== undefined || finalBackup !== undefined || (upgrade?.members ?? "all") !== "all") return settled();
  const outcome = await rollOut(rollout, at);
  if (outcome.kind !== "settled") return outcome;
  return (await tlsStep(rollout.key, rollout.record, desired, { at, looksOnly })) ?? outcome;
}

function describe({ message, resource }: { message: string; resource: string | undefined }): string {
  return resource === undefined ? message : `${resource}: ${message}`;
}
