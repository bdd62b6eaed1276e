// By which plan a change is carried out: what was foretold, who asked for it, and who approved. Pure.
import { revisionLimits } from "../api/revisions/limits";
import type { Agreed, Pending } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { shortened } from "../domain/shortened";
import type { ApprovalJudgement } from "./approval";
import type { Decision } from "./decide";

/** What let it through. */
interface Passed {
  readonly decision: Decision;
  readonly judged: ApprovalJudgement;
}

/** The record of a change that may begin, with its plan: the history tells of it when it has come through. */
export function withPlan(record: StackRecord, { shown, authors }: Pending, { decision, judged }: Passed): StackRecord {
  if (record.agreed === undefined || decision.kind !== "go") return record;
  const by = decision.by === "approval" && judged.kind === "accepted" ? judged.by : undefined;
  const author = authors?.at(-1);
  const plan: Agreed["plan"] = {
    ...{ plan: shown.digest, effect: shown.effect, consequences: shown.consequences },
    generation: shown.generation,
    ...(by !== undefined && { by: shortened(by, revisionLimits.user) }),
    ...(author !== undefined && { author }),
  };
  return { ...record, agreed: { ...record.agreed, plan } };
}
