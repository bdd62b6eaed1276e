// Between what is asked for and what is carried out: whether a change may happen now, by what it does.
import { isDeepStrictEqual } from "node:util";
import { companionFieldManager } from "../../components/naming";
import { isReason, reasonsOf, type StalledReason } from "../api/reasons";
import type { Desired } from "../domain/desired";
import type { Foreseen } from "../domain/foreseen";
import type { Key } from "../domain/key";
import type { ObservedDatabase } from "../domain/observed-database";
import { due, pending, stalled, waiting, type Outcome } from "../domain/outcome";
import { wishOf, type Agreed, type Pending, type Standing, type Wished } from "../domain/pending";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { approvingOf, carriedIn, judgeApproval, type ApprovalJudgement } from "../policy/approval";
import { withPlan } from "../policy/carried";
import { withReleaseText } from "./beside-texts";
import { decide, isIdle, type Decision, type Wait } from "../policy/decide";
import type { Policies } from "../policy/holding";
import {
  agreedTo,
  isTooOld,
  withAgreed,
  hasMoved,
  withLate,
  withMoved,
  withoutPending,
  withSeen,
  withPending,
  type AskedChange,
} from "../policy/ledger";
import { pendingText, reasonOf, standingOf, wayInText } from "../policy/shown";
import { wishNow } from "./accepted";
import { hasComeUp } from "./begun";
import { passageOf } from "./passage";
import { recalledRecord } from "./recalled";

/** Whether what is asked for may be carried out; `wished` is what is agreed to then. */
export type Gate =
  | { readonly kind: "open"; readonly wished: Standing }
  /** All but the release of the operator, by which members keep their template. */
  | { readonly kind: "beside"; readonly wish: string }
  | { readonly kind: "shut"; readonly outcome: Outcome };

type GatePorts = Pick<
  Ports,
  "world" | "records" | "foresee" | "changes" | "digest" | "release" | "memberTemplate" | "recall" | "now" | "signal"
>;

interface GateContext {
  readonly at: GatePorts;
  readonly looksOnly: boolean;
  /** Whether all that passes beside a release has been carried out in this turn. */
  readonly isAlone?: boolean;
}

interface Asked {
  readonly key: Key;
  readonly database: ObservedDatabase;
  readonly desired: Desired;
  readonly wished: Wished;
  /** The same, with what it stands for. */
  readonly next: Standing;
  readonly policies: Policies;
  readonly loosens: boolean;
  /** Why an edit waits with a release of the operator; missing where none does. */
  readonly withRelease?: string;
  readonly at: GatePorts;
}

/** Until a change that waits is looked at again, in milliseconds: at the latest, and after a preview that failed. */
const longestPauseMs = 3_600_000;
const retryMs = 30_000;

/** See the header. `desired` is what was judged. What was agreed to already passes, whatever else it takes to get there. */
export async function gate(
  key: Key,
  database: ObservedDatabase,
  desired: Desired,
  { at, looksOnly, isAlone = false }: GateContext,
): Promise<Gate> {
  const { spec, image, config } = desired;
  const { changePolicy: policy } = spec;
  const wished = { wish: wishOf(desired, at.digest), ...(policy && { policy }) };
  const next = { ...wished, accepted: { spec, image, config } };
  const known = await at.records.load(key);
  const found = known ?? (await recalledRecord(key, { metadata: database.metadata, desired }, at));
  const comeUp = (): boolean => hasComeUp(at.world.observe(key), database.status.conditions ?? []);
  const judged = { record: found, metadata: database.metadata, desired, policy, hasComeUp: comeUp, isAlone };
  const passage = await passageOf(judged, at);
  if (passage.kind === "new") return { kind: "open", wished: next };
  const { kind, record, ...by } = passage;
  const asked = { key, database, desired, wished, next, ...by, at };
  if (kind === "free") return passing(record, asked, looksOnly);
  if (kind === "asks") return waitingOr(record, asked, looksOnly);
  if (known === undefined && !looksOnly) await at.records.save(key, record);
  return { kind, wish: wished.wish };
}

const waitingOr = (record: StackRecord, asked: Asked, looksOnly: boolean): Gate | Promise<Gate> =>
  waitingNow(record, asked) ?? (looksOnly ? { kind: "shut", outcome: due() } : planned(record, asked));

/** What waited does so no more, and the policy that came with it is in force from now on. */
async function passing(record: StackRecord, asked: Asked, looksOnly: boolean): Promise<Gate> {
  const { key, next: wished, at, policies, database } = asked;
  const { pending: waited } = record;
  const agreed = adopted(record, asked);
  // who edits while nothing waits by any policy is asked for by none
  const seen = policies.every(isIdle) ? record : withSeen(record, database.metadata);
  if (waited === undefined && agreed === record.agreed && seen === record) return { kind: "open", wished };
  if (looksOnly) return { kind: "shut", outcome: due() };
  await at.records.save(key, { ...(waited === undefined ? seen : withoutPending(seen)), agreed });
  return { kind: "open", wished };
}

/** Who goes back gives up what was agreed to. Where nothing waits by any policy, the run notes what it was for. */
function adopted({ agreed }: StackRecord, { next, policies, database, at }: Asked): Agreed | undefined {
  if (agreed === undefined) return undefined;
  if (agreed.wish !== next.wish && !policies.every(isIdle)) {
    // tried again by another release it is what was let through all the same
    const isSame = agreed.plan !== undefined && wishNow(agreed.accepted, database.metadata, at) === next.wish;
    return { ...agreedTo(agreed, next), ...(isSame && { plan: agreed.plan }) };
  }
  return isDeepStrictEqual(agreed.policy, next.policy) ? agreed : { ...agreed, policy: next.policy };
}

/** What is known to wait still, as far as that shows without another preview; undefined where that is to be seen. */
function waitingNow(record: StackRecord, asked: Asked): Gate | undefined {
  const { at } = asked;
  const known = record.pending;
  if (known === undefined || !isAsPlanned(known, record, asked)) return undefined;
  const { decision, judged } = decisionOn(known, record, asked);
  const isNews = judged.kind === "accepted" && known.isApproved !== true;
  if (decision.kind === "go" || isNews || isTooOld(known, at.now())) return undefined;
  return shut(known, decision, judged, asked);
}

/** Whether nothing shows that has moved since. Who made an edit that comes to nothing counts, too. */
function isAsPlanned(known: Pending, { digest }: StackRecord, { key, wished, at, database }: Asked): boolean {
  const primary = at.world.observe(key).members.find(({ role }) => role === "primary")?.name;
  const isSameEdit = known.wish === wished.wish && known.shown.generation === database.metadata.generation;
  return isSameEdit && known.applied === digest && known.primary === primary;
}

interface Decided {
  readonly decision: Decision;
  readonly judged: ApprovalJudgement;
}

function decisionOn({ shown, former, late, authors }: Pending, { agreed }: StackRecord, asked: Asked): Decided {
  const { database, policies, loosens, at } = asked;
  const judged = judgeApproval({
    carried: carriedIn(database.metadata.annotations, shown.digest),
    plan: { digest: shown.digest, former, late },
    ...{ used: agreed?.used, authors, namespace: database.metadata.namespace, settings: at.changes },
  });
  const effects = shown.consequences.map(({ effect }) => effect);
  const now = at.now().getTime();
  return { judged, decision: decide({ policies, effects, loosens, approving: approvingOf(judged), now }) };
}

/** Previews it, and lets it through or notes that it waits. A run that follows is of this plan: it comes right after. */
async function planned(found: StackRecord, asked: Asked): Promise<Gate> {
  const { key, wished, next, at, database } = asked;
  const record = isOutdated(found, asked) ? await at.records.save(key, withLate(found)) : found;
  const foreseen = await foreseenBy(asked);
  if (foreseen.kind !== "plan") return { kind: "shut", outcome: untold(foreseen) };
  if (foreseen.wish !== wished.wish) return { kind: "shut", outcome: waiting("Updating", movedText, movedMs) };
  if (hasMoved(record, foreseen)) return planned(await at.records.save(key, withMoved(record)), asked);
  const noted = withPending(
    record,
    foreseen,
    { ...asked, release: at.release, metadata: authored(database) },
    at.now(),
  );
  const { decision, judged } = decisionOn(noted.pending, record, asked);
  if (decision.kind === "go") {
    const approval = decision.by === "approval" ? noted.pending.shown.digest : undefined;
    const isNow = judged.kind === "accepted" && judged.isNow;
    const agreed = withAgreed(record, next, { hasWaited: decision.by !== "nothing", approval, isNow });
    const carried = withPlan(agreed, noted.pending, { decision, judged });
    await at.records.save(key, withSeen(carried, database.metadata));
    return { kind: "open", wished: next };
  }
  const isApproved = judged.kind === "accepted" || noted.pending.isApproved;
  const waits = { ...noted, pending: { ...noted.pending, isApproved } };
  if (!isDeepStrictEqual(waits, record)) await at.records.save(key, waits);
  return shut(waits.pending, decision, judged, asked);
}

const isOutdated = ({ pending: known }: StackRecord, { wished, at }: Asked): boolean =>
  known?.wish === wished.wish && isTooOld(known, at.now());

/** A companion is translated by the operator: who changed it is not known. */
const authored = ({ metadata, writer }: ObservedDatabase): AskedChange["metadata"] =>
  writer === companionFieldManager ? { ...metadata, annotations: {} } : metadata;

/** One that throws, as where the cluster does not answer in time, must not keep what runs from being kept up. */
async function foreseenBy({ database, at }: Asked): Promise<Foreseen> {
  try {
    return await at.foresee(database.object);
  } catch (error) {
    if (at.signal.aborted) return { kind: "failed", message: "the operator stopped; its successor continues" };
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

const isStalledReason = (text: string): text is StalledReason => isReason(text) && reasonsOf("stalled").has(text);

/** A shared ConfigMap, say, is not as it was when the turn began: the plan would be of something else. In milliseconds. */
const movedText = "what is asked for has moved while it was previewed";
const movedMs = 1000;

/** What the reconcile would refuse it says as it always does. */
function untold(foreseen: Exclude<Foreseen, { kind: "plan" }>): Outcome {
  const { message } = foreseen;
  if (foreseen.kind === "stalled" && isStalledReason(foreseen.reason)) return stalled(foreseen.reason, message);
  const text = `a change waits, as it cannot be told what it does: ${message}`;
  return pending(text, { reason: "PreviewFailed", afterMs: retryMs });
}

/** Whether nothing waits but for the policy about releases; a companion has no field for one of its own. */
const isReleases = ({ policies: [inForce, wanted], database }: Asked): boolean =>
  isIdle(inForce) && isIdle(wanted) && database.writer !== companionFieldManager;

function shut(known: Pending, wait: Wait, judged: ApprovalJudgement, asked: Asked): Gate {
  const { at, database } = asked;
  const now = at.now().getTime();
  const shown = { ...known.shown, ...standingOf(wait, judged) };
  const moments = [wait.window?.opensAt, Date.parse(shown.approveBefore ?? "") + 1];
  const pauses = moments.flatMap((moment) => (moment !== undefined && moment > now ? [moment - now] : []));
  const texts = [
    pendingText(shown, wait, judged, database.metadata),
    ...(asked.withRelease === undefined ? [] : [withReleaseText(asked.withRelease)]),
    ...(isReleases(asked) ? [wayInText] : []),
  ];
  const message = texts.join("; ");
  const waits = { reason: reasonOf(wait, judged), shown, afterMs: Math.min(longestPauseMs, ...pauses) };
  return { kind: "shut", outcome: pending(message, waits) };
}
