// What the operator makes of an approval, told from how the Database is then. Pure.
import { shortened, isApproved, type SeenPending } from "../objects/pending";
import type { SeenDatabase } from "../objects/database";
import { awaitedText } from "../output/pending";

export interface Verdict {
  readonly isApproved: boolean;
  readonly text: string;
}

/** Undefined while it has not said; `shown`: what was approved, as it was before. */
export function verdictOf(shown: SeenPending, database: SeenDatabase | undefined): Verdict | undefined {
  if (database === undefined) return { isApproved: false, text: "it was deleted meanwhile" };
  const { pending } = database;
  if (pending === undefined) return { isApproved: true, text: "approved: the change is being carried out" };
  if (pending.digest !== shown.digest) return { isApproved: false, text: movedText(pending) };
  if (JSON.stringify(pending.approval) === JSON.stringify(shown.approval)) return undefined;
  return judged(pending);
}

const movedText = ({ digest }: SeenPending): string =>
  `the plan has moved meanwhile, so the approval does not count: now ${shortened(digest)} waits`;

function judged(pending: SeenPending): Verdict {
  const { approval } = pending;
  if (isApproved(pending)) return { isApproved: true, text: `approved: it waits ${awaitedText(pending)}` };
  return { isApproved: false, text: `the approval does not count: ${approval?.message ?? "it was taken back"}` };
}

/** What was approved, as it was before, and by whom. */
export interface Made {
  readonly pending: SeenPending;
  readonly user: string | undefined;
}

/** Where nothing has changed within `time`. */
export function unansweredBy({ pending: { approval }, user }: Made, time: string): Verdict {
  // the same was approved by the same person before, and has been judged
  const isJudged = ["Author", "NoRight", "Expired"].includes(approval?.state ?? "") && (approval?.by ?? user) === user;
  if (isJudged) return { isApproved: false, text: `the approval still does not count: ${approval?.message ?? ""}` };
  const text = `the approval is on record; the operator has said nothing of it within ${time}: it counts as soon as one looks at it, unless the plan moves before`;
  return { isApproved: true, text };
}
