// What approving a Database comes to, told from what it is now. Pure.
import { invocation } from "../command/name";
import { isSeen, type SeenDatabase } from "../objects/database";
import { isApproved, shortened, waitsForApproval, type SeenPending } from "../objects/pending";
import { awaitedText } from "../output/pending";

/** What the person wants. */
export interface ApprovalWish {
  /** The plan that they have seen, by its digest or the beginning of it; undefined: the one that waits. */
  readonly plan: string | undefined;
  /** Whether windows do not matter. */
  readonly isNow: boolean;
}

export type Choice =
  | { readonly kind: "approve"; readonly pending: SeenPending }
  /** It is so already. */
  | { readonly kind: "done"; readonly text: string }
  /** There is nothing to approve, or something else. */
  | { readonly kind: "no"; readonly text: string };

export function choiceOf(database: SeenDatabase, wish: ApprovalWish): Choice {
  const { metadata, pending, isPendingUnread } = database;
  if (metadata.deletionTimestamp !== undefined)
    return { kind: "no", text: "it is being deleted: no change of it is carried out any more" };
  if (!isSeen(database)) return { kind: "no", text: unseenText };
  if (isPendingUnread) return { kind: "no", text: unreadText };
  return pending === undefined
    ? { kind: "no", text: `no change waits: there is nothing to approve` }
    : ofPending(database, pending, wish);
}

export const unreadText =
  "a change waits, and this program cannot read what the operator says of it: use the one of the operator's release";

const unseenText =
  "the operator has not looked at the last change yet, so there is no plan of it: try again once it has";

function ofPending({ metadata }: SeenDatabase, pending: SeenPending, { plan, isNow }: ApprovalWish): Choice {
  if (plan !== undefined && !pending.digest.startsWith(plan.toLowerCase()))
    return { kind: "no", text: otherPlanText(plan, pending) };
  if (isNow || waitsForApproval(pending)) return { kind: "approve", pending };
  const sooner = `sooner: ${invocation} approve ${metadata.name} -n ${metadata.namespace} --now`;
  const text = `it waits ${awaitedText(pending)}; ${sooner}`;
  if (isApproved(pending)) return { kind: "done", text: `approved already: ${text}` };
  return { kind: "no", text: `this change needs no approval: ${text}` };
}

const otherPlanText = (plan: string, { digest }: SeenPending): string =>
  `the plan ${shortened(plan)} does not wait: it has moved, or there never was one. Now ${shortened(digest)} waits: look at it before you approve it`;

/** As many letters as a plan must be named by. */
const fewest = 6;

export const isDigest = (text: string): boolean => /^[0-9a-f]+$/i.test(text) && text.length >= fewest;
