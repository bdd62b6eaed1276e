// What to do about what is not well: commands that can be copied, by the reason that the operator gives.
import type { Reason } from "../../operator/api/reasons";
import type { Condition } from "../../operator/api/status";
import { invocation } from "../command/name";
import type { Standing } from "./standing";

type Step = (database: { readonly name: string; readonly namespace: string }, condition: Condition) => string;

const edit: Step = ({ namespace }) =>
  `correct the spec; before you apply it: ${invocation} preview -n ${namespace} -f FILE`;
const logs: Step = ({ name, namespace }) =>
  `kubectl logs -n ${namespace} -l database=${name} --all-containers --tail=50`;
const jobLogs =
  (component: string): Step =>
  ({ name, namespace }) =>
    `kubectl logs -n ${namespace} -l database=${name},app.kubernetes.io/component=${component} --tail=50`;

const approve: Step = ({ name, namespace }) => `${invocation} approve ${name} -n ${namespace}`;

/** What the operator's own message does not say: it says in words what must change. */
const steps: Readonly<Partial<Record<Reason, Step>>> = {
  Paused: ({ name, namespace }) => `it waits until the pause ends: ${invocation} resume ${name} -n ${namespace}`,
  SpecInvalid: edit,
  VersionUnavailable: edit,
  ImageLimited: edit,
  ParameterReserved: edit,
  ConfigRejected: edit,
  ConfigSourceMissing: ({ namespace }) => `kubectl get configmaps -n ${namespace}`,
  BackupFailed: jobLogs("backup"),
  InitializationFailed: jobLogs("initialization"),
  WaitingForMembers: logs,
  WaitingForPrimary: logs,
  AwaitingApproval: approve,
  ApprovalVoid: approve,
  AwaitingWindow: (place, condition) => `sooner than its window: ${approve(place, condition)} --now`,
  FillingUp: ({ name, namespace }) =>
    `more room: spec.storage, or spec.storageAutoGrow (kubectl edit database ${name} -n ${namespace})`,
  Full: ({ name, namespace }) => `more room at once: spec.storage (kubectl edit database ${name} -n ${namespace})`,
};

const isKnown = (reason: string): reason is Reason => Object.hasOwn(steps, reason);

/** None where all is well. */
export function nextSteps({ name, namespace, conditions, state }: Standing): readonly string[] {
  const place = { name, namespace };
  const found = conditions.flatMap((condition) => {
    const step = isKnown(condition.reason) ? steps[condition.reason] : undefined;
    return step === undefined ? [] : [step(place, condition)];
  });
  const isExplained = state !== "READY" && state !== "PAUSED" && state !== "WAITING";
  return [...new Set([...found, ...(isExplained ? [`${invocation} why ${name} -n ${namespace}`] : [])])];
}
