// The API server's refusal of an approval, in plain words. Pure.
import { approvalRefusals, approvalVerb } from "../../contract/approvals";
import { operatorName } from "../../contract/platform";
import { kinds } from "../cluster/paths";
import type { ApiFailure } from "../command/world";

export type Refusal =
  /** The plan that was shown waits no more. */
  | { readonly kind: "moved"; readonly text: string }
  /** This person may not. */
  | { readonly kind: "denied"; readonly text: string; readonly hints: readonly string[] }
  | { readonly kind: "other"; readonly text: string };

export interface Approver {
  readonly namespace: string;
  readonly name: string;
  readonly user: string | undefined;
}

export function refusalOf({ status, message }: ApiFailure, approver: Approver): Refusal {
  if (message.includes(approvalRefusals.none)) return { kind: "moved", text: "no change waits any more" };
  if (message.includes(approvalRefusals.moved))
    return { kind: "moved", text: "the plan has moved since it was shown, and another one waits: look at that one" };
  if (message.includes(approvalRefusals.author))
    return { kind: "denied", text: "you asked for this change: another person must approve it", hints: [] };
  if (message.includes(approvalRefusals.noRight)) return withoutRight(approvalVerb, approver);
  if (status === 403 && / cannot patch resource /.test(message)) return withoutRight("patch", approver);
  return { kind: "other", text: `the API server refuses it: ${plainWords(message)}` };
}

function withoutRight(verb: string, { namespace, name, user = "USER" }: Approver): Refusal {
  const role = `--clusterrole=${operatorName}-approve --user=${user}`;
  return {
    kind: "denied",
    text: `you (${user}) may not ${verb} ${kinds.databases.right} ${name} in namespace ${namespace}`,
    hints: ["who runs the platform grants it:", `kubectl create rolebinding approvers ${role} -n ${namespace}`],
  };
}

/** Without the names of what has judged it. */
const plainWords = (message: string): string => message.replace(/^.*denied (?:the )?request: /s, "");
