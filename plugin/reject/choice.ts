// What rejecting the change of a Database comes to, told from what it is now. Pure.
import { unreadText } from "../approve/choice";
import { invocation } from "../command/name";
import type { SeenDatabase } from "../objects/database";
import { shortened, waitsForApproval, type SeenPending } from "../objects/pending";
import { awaitedText } from "../output/pending";

export type Rejection =
  /** There is an approval to take back. */
  | { readonly kind: "withdraw"; readonly pending: SeenPending; readonly digests: readonly string[] }
  /** Nothing approves it. */
  | { readonly kind: "done"; readonly text: string }
  /** It cannot be rejected. */
  | { readonly kind: "no"; readonly text: string };

/** `plan`: whose approval is meant, by its digest or the beginning of it; undefined: whatever there is. */
export function rejectionOf(database: SeenDatabase, plan: string | undefined): Rejection {
  const { metadata, pending, isPendingUnread, approved } = database;
  if (metadata.deletionTimestamp !== undefined)
    return { kind: "no", text: "it is being deleted: no change of it is carried out any more" };
  if (isPendingUnread) return { kind: "no", text: unreadText };
  if (pending === undefined)
    return { kind: "no", text: `no change waits, and one that has begun is finished; ${wayBack(database)}` };
  if (approved.length === 0) return ofUnapproved(database, pending);
  const isOther = plan !== undefined && !approved.some((digest) => digest.startsWith(plan.toLowerCase()));
  if (isOther) return { kind: "no", text: otherText(plan, approved) };
  return { kind: "withdraw", pending, digests: approved };
}

function ofUnapproved(database: SeenDatabase, pending: SeenPending): Rejection {
  const back = pending.changes.some(({ path }) => path.startsWith("spec")) ? `; ${wayBack(database)}` : "";
  return waitsForApproval(pending)
    ? { kind: "done", text: `nothing approves it: it is not carried out until something does${back}` }
    : { kind: "no", text: `it needs no approval: it waits ${awaitedText(pending)}${back}` };
}

/** A change is gone for good only once the spec asks for something else. */
const wayBack = ({ metadata }: SeenDatabase): string =>
  `to take the change itself back: ${invocation} rollback ${metadata.name} -n ${metadata.namespace}`;

const otherText = (plan: string, approved: readonly string[]): string =>
  `there is no approval of the plan ${shortened(plan)}, but one of ${approved.map(shortened).join(" and ")}: look at that one`;
