// What a wait looks for, told from what a Database is now. Pure.
import type { ConditionType } from "../../operator/api/status";
import { invocation } from "../command/name";
import { conditionOf, isPaused, isSeen, stateOf, unwell, type SeenDatabase } from "../objects/database";
import { waitsForApproval, type SeenPending } from "../objects/pending";
import { awaitedText } from "../output/pending";

export const goals = ["ready", "deleted"] as const;
export type Goal = (typeof goals)[number];

/** Whether it has come about. */
export type Progress =
  | { readonly kind: "reached"; readonly text: string }
  /** It will not come about by itself. */
  | { readonly kind: "hopeless"; readonly text: string }
  | { readonly kind: "going"; readonly text: string };

/** `database`: undefined where it does not exist. */
export function progressOf(goal: Goal, database: SeenDatabase | undefined): Progress {
  if (goal === "deleted") return deletionOf(database);
  if (database === undefined) return { kind: "hopeless", text: "it does not exist any more" };
  if (isPaused(database))
    return { kind: "hopeless", text: `it is paused: ${invocation} resume ${nameOf(database)} ends that` };
  if (!isSeen(database)) return { kind: "going", text: "the operator has not looked at the last change yet" };
  return readinessOf(database);
}

const nameOf = ({ metadata: { name, namespace } }: SeenDatabase): string => `${name} -n ${namespace}`;

function deletionOf(database: SeenDatabase | undefined): Progress {
  if (database === undefined) return { kind: "reached", text: "it does not exist any more" };
  if (database.metadata.deletionTimestamp === undefined) return { kind: "going", text: "it is not being deleted yet" };
  return { kind: "going", text: whyText(database) };
}

function readinessOf(database: SeenDatabase): Progress {
  const stalled = conditionOf(database, "Stalled");
  if (stalled?.status === "True") return { kind: "hopeless", text: `${stalled.reason}: ${stalled.message}` };
  const state = stateOf(database);
  if (state === "DELETING") return { kind: "hopeless", text: "it is being deleted" };
  if (state === "WAITING") return waitingOf(database);
  if (state !== "READY" && state !== "DEGRADED") return { kind: "going", text: whyText(database) };
  return { kind: "reached", text: conditionOf(database, "Ready")?.message ?? "it is ready" };
}

/** What waits for approval does so until a person acts, and what waits for a window only for a time. */
function waitingOf(database: SeenDatabase): Progress {
  const { metadata, pending } = database;
  if (pending === undefined) return { kind: "going", text: whyText(database) };
  const text = `a change waits ${awaitedText(pending)}`;
  if (!waitsForApproval(pending)) return { kind: "going", text };
  if (isUnjudged(database, pending))
    return { kind: "going", text: `${text}; the operator has not looked at the one on it yet` };
  return { kind: "hopeless", text: `${text}: ${invocation} approve ${metadata.name} -n ${metadata.namespace}` };
}

/** Whether it carries an approval of this plan of which nothing is said yet: what is said of another plan's is not about this one. */
const isUnjudged = ({ approved }: SeenDatabase, { digest, approval }: SeenPending): boolean =>
  approved.includes(digest) && ["", "Unknown", "Stale"].includes(approval?.state ?? "");

const told: ReadonlySet<ConditionType> = new Set(["Ready", "Reconciling", "ChangePending"]);

function whyText(database: SeenDatabase): string {
  const [first] = unwell(database).filter(({ type }) => told.has(type));
  return first === undefined ? "nothing is known of it yet" : `${first.reason}: ${first.message}`;
}
