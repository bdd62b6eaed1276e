// How a case of acceptance stands, by what is on record of all that holds it. Pure.
import type { Results as Proofs } from "../../../test/judges/reliability/results";
import type { RotationRecord } from "../../../test/runner/rotation-record";
import type { AcceptanceCase, Holder } from "../acceptance/case";
import { killsIn, type StepName } from "../scenarios";
import type { StepResult } from "./results";

/** All that is on record. */
export interface Records {
  /** When groups of tests last passed. */
  readonly rotation: RotationRecord;
  /** How cases of docs/reliability.md ended. */
  readonly proofs: Proofs;
  /** What was measured here: the latest of each kind. */
  readonly steps: readonly StepResult[];
}

/** `each run`: it runs with each `make test`, and no result of its own is kept. `in part`: with some kills it was measured, and with others not. */
export type Outcome = "passed" | "failed" | "not run" | "each run" | "in part";

export interface Standing {
  readonly outcome: Outcome;
  /** The day and the commit, where a result is on record. */
  readonly when?: { readonly date: string; readonly commit: string };
}

const at = (date: string, commit: string): Standing["when"] => ({
  date: date.slice(0, 10),
  commit: commit.slice(0, 7),
});

/** What is known of one test or measurement. */
export function standingOf(holder: Holder, records: Records): Standing {
  switch (holder.kind) {
    case "test":
      return holder.group === undefined
        ? { outcome: "each run" }
        : ofGroup(records.rotation[holder.group], holder.since);
    case "reliability":
      return ofProof(records.proofs.get(holder.id));
    case "measured":
      return ofSteps(
        holder.step,
        records.steps.filter(({ scenario, step }) => scenario === holder.scenario && step === holder.step),
      );
  }
}

/** Whether a kill has been in a run that is on record. */
const wasRun = (
  { group, since: ofTest = "" }: Extract<Holder, { kind: "test" }>,
  since = "",
  rotation: RotationRecord,
): boolean => group === undefined || ofGroup(rotation[group], since > ofTest ? since : ofTest).outcome === "passed";

/** Of a group only successes are on record. */
const ofGroup = (passed: RotationRecord[string] | undefined, since = ""): Standing =>
  passed === undefined || passed.date < since
    ? { outcome: "not run" }
    : { outcome: "passed", when: at(passed.date, passed.commit) };

function ofProof(proof: ReturnType<Proofs["get"]>): Standing {
  if (proof === undefined || proof.result === "skipped") return { outcome: "not run" };
  return { outcome: proof.result, when: at(proof.date, proof.commit) };
}

/** With and without kills. */
function ofSteps(name: StepName, steps: readonly StepResult[]): Standing {
  const [first] = steps;
  if (first === undefined) return { outcome: "not run" };
  const oldest = steps.reduce((one, other) => (other.date < one.date ? other : one), first);
  const isWhole = killsIn(name).every((kill) => steps.some(({ killed }) => killed === kill));
  const isLost = steps.some(({ lost = 0 }) => lost > 0);
  return { outcome: isLost ? "failed" : isWhole ? "passed" : "in part", when: at(oldest.date, oldest.commit) };
}

/**
 * `in part`: some of what holds it has passed, and some has not been run. `only in parts`: nothing that holds it has a real server, however it
 * ended.
 */
export type CaseOutcome = Outcome | "only in parts" | "not supported";

/** Of all that holds it together. */
export function caseOutcome({ heldBy }: AcceptanceCase, records: Records): CaseOutcome {
  if (heldBy.length === 0) return "not supported";
  const outcomes = new Set(heldBy.map((holder) => standingOf(holder, records).outcome));
  if (outcomes.has("failed")) return "failed";
  if (!heldBy.some((holder) => holder.kind === "measured" || holder.isReal)) return "only in parts";
  if (outcomes.has("in part") || (outcomes.has("not run") && outcomes.has("passed"))) return "in part";
  if (outcomes.has("not run")) return "not run";
  return outcomes.has("passed") ? "passed" : "each run";
}

/** What got SIGKILL in the tests of a case with real servers that are on record, and in what was measured of it. */
export function killedIn({ heldBy }: AcceptanceCase, { steps, rotation }: Records): readonly string[] {
  const found = heldBy.flatMap((holder): readonly string[] => {
    if (holder.kind === "test") {
      const strikes = holder.isReal ? holder.killed : [];
      return strikes.filter(({ since }) => wasRun(holder, since, rotation)).map(({ what }) => what);
    }
    if (holder.kind === "reliability") return [];
    const own = steps.filter(({ scenario, step }) => scenario === holder.scenario && step === holder.step);
    return own.flatMap(({ killed }) => (killed === "nothing" ? [] : [killed]));
  });
  return [...new Set(found)].sort();
}
