// The status of a companion: that of its Database, judged from the companion's own generation. Pure.
import { CompanionStatus } from "../api/companions/kind";
import { metadataOf } from "../api/object";
import { statusOf } from "../api/stored-status";
import { CONDITION_TYPES, type Condition, type ConditionType, type Phase } from "../api/status";
import { conditionOf, stalling, type Said, type Verdict } from "../reconcile/conditions";
import type { Outcome } from "../domain/outcome";

export interface CompanionInputs {
  /** Of the companion. */
  readonly generation: number;
  /** Whether the companion is being deleted. */
  readonly isGoing: boolean;
  readonly outcome: Outcome;
  /** The Database; undefined where there is none that the companion owns. */
  readonly database: unknown;
  readonly previous: CompanionStatus;
  readonly now: Date;
}

type Verdicts = Partial<Record<ConditionType, Verdict>>;

/** See the header. `settled` means that the Database has the spec that the companion asks for. */
export function companionStatusFor(inputs: CompanionInputs): CompanionStatus {
  const { generation, database } = inputs;
  const mirrored = database === undefined ? {} : CompanionStatus.parse(statusOf(database));
  const conditions = conditionsOf(inputs);
  const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  const phase = phaseOf(inputs, ready);
  return { ...mirrored, ready, phase, observedGeneration: generation, conditions };
}

function conditionsOf(inputs: CompanionInputs): Condition[] {
  const { database, previous, generation, now } = inputs;
  const context = { previous: previous.conditions ?? [], generation, now };
  const own = ownVerdicts(inputs);
  const theirs = database === undefined ? [] : (statusOf(database).conditions ?? []);
  return CONDITION_TYPES.flatMap((type) => {
    const former = context.previous.find((condition) => condition.type === type);
    const mirrored = theirs.find((condition) => condition.type === type);
    const said = own[type] ?? (mirrored && saidIn(mirrored));
    if (own[type] === undefined && isBehind(inputs) && former !== undefined) return [former];
    const verdict = said ?? fallbacks[type];
    if (verdict === undefined) return former === undefined ? [] : [former];
    const generation = type === "Ready" ? readyGeneration(inputs, former) : context.generation;
    return [conditionOf(type, verdict, { ...context, generation })];
  });
}

const saidIn = ({ status, reason, message }: Condition): Said => ({ status, reason, message });

/** What is said where the Database says nothing yet. */
const fallbacks: Verdicts = {
  Ready: { status: "False", reason: "Creating", message: "the Database has not been observed yet" },
  Reconciling: { status: "True", reason: "Creating", message: "the Database has not been observed yet" },
  Stalled: { status: "False", reason: "NotStalled", message: "nothing needs attention" },
};

/**
 * The companion's generation that Ready speaks of: the last that its Database has applied. Who waits for Ready after a
 * change must not read the state before it.
 */
function readyGeneration({ generation, isGoing, outcome, database }: CompanionInputs, former?: Condition): number {
  if (isGoing || database === undefined) return generation;
  const theirs = statusOf(database).conditions?.find(({ type }) => type === "Ready");
  const isCarriedOut = outcome.kind === "settled" && theirs?.observedGeneration === metadataOf(database).generation;
  return isCarriedOut ? generation : (former?.observedGeneration ?? generation);
}

/** Whether the Database was changed and the operator has not looked at it since: what it says is of its previous spec. */
function isBehind({ outcome, database }: CompanionInputs): boolean {
  if (outcome.kind !== "settled" || database === undefined) return false;
  return statusOf(database).observedGeneration !== metadataOf(database).generation;
}

/** What the companion says itself, where its Database does not know better. */
function ownVerdicts(inputs: CompanionInputs): Verdicts {
  if (inputs.isGoing) return goingVerdicts;
  const { outcome, database } = inputs;
  const verdicts = verdictsOn(outcome, isBehind(inputs));
  const { Reconciling: underWay, Stalled: stalled } = verdicts;
  const why = outcome.kind === "stalled" ? stalled : underWay;
  // without a Database there is nothing that could be ready
  if (database === undefined && why !== undefined) return { ...verdicts, Ready: { ...why, status: "False" } };
  return verdicts;
}

const goingVerdicts: Verdicts = {
  Ready: { status: "False", reason: "Deleting", message: "it is being deleted" },
  Reconciling: { status: "True", reason: "Deleting", message: "it is being deleted, and its Database with it" },
};

function verdictsOn(outcome: Outcome, behind: boolean): Verdicts {
  const underWay = (reason: Verdict["reason"], message: string): Verdicts => ({
    Reconciling: { status: "True", reason, message },
    Stalled: stalling(outcome),
  });
  switch (outcome.kind) {
    case "stalled":
      return {
        Stalled: stalling(outcome),
        Reconciling: { status: "False", reason: "Reconciled", message: "nothing is in progress" },
      };
    case "waiting":
      return underWay(outcome.reason, outcome.message);
    case "failed":
      return underWay(outcome.reason, `${outcome.message}; the operator tries again`);
    case "settled":
      return behind ? underWay("Updating", "the Database was changed and has not been observed since") : {};
    case "due":
    case "gone":
      return {};
  }
}

function phaseOf(inputs: CompanionInputs, ready: boolean): Phase {
  const { isGoing, outcome, database } = inputs;
  if (isGoing) return "Deleting";
  if (outcome.kind === "stalled" || outcome.kind === "failed") return "Failed";
  if (database === undefined) return "Pending";
  if (isBehind(inputs)) return ready ? "Updating" : "Pending";
  return statusOf(database).phase ?? "Pending";
}
