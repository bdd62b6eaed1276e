// What a node is for a pod: the labels that it chooses by, the taints that keep it away, and the volumes that it reaches. Pure.
import type { Requests } from "../domain/engines";
import type { Expression, NodeDemands, Terms, Toleration } from "../domain/pod-wish";

/** A taint that keeps pods away. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** What a node has for pods. */
export interface NodeOffer extends Requests {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it takes pods at all: it is not cordoned. */
  readonly isOpen: boolean;
  /** Those of its taints that keep pods away which do not tolerate them. */
  readonly taints: readonly Taint[];
}

export const hasLabels = ({ labels }: NodeOffer, { nodeSelector = {} }: NodeDemands): boolean =>
  Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);

export const fulfils = ({ labels }: NodeOffer, terms: Terms = []): boolean =>
  terms.length === 0 || terms.some((term) => term.length > 0 && term.every((one) => isMet(one, labels)));

/** The taints of a node that keep the pod away. */
export const obstaclesOf = ({ taints }: NodeOffer, { tolerations = [] }: NodeDemands): readonly Taint[] =>
  taints.filter((taint) => !tolerations.some((one) => tolerates(one, taint)));

/** Whether the pod may go there although it is cordoned. */
export const isOpenTo = ({ isOpen }: NodeOffer, { tolerations = [] }: NodeDemands): boolean =>
  isOpen || tolerations.some((one) => tolerates(one, cordoned));

const cordoned: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };

/** For a while only: a pod that comes is evicted after that, and comes again. */
const isForAWhile = ({ tolerationSeconds }: Toleration, { effect }: Taint): boolean =>
  tolerationSeconds !== undefined && effect === "NoExecute";

const tolerates = (toleration: Toleration, taint: Taint): boolean =>
  !isForAWhile(toleration, taint) && isMeant(toleration, taint);

const isMeant = ({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean =>
  (effect === undefined || effect === taint.effect) &&
  (key === undefined ? operator === "Exists" : key === taint.key) &&
  (operator === "Exists" || value === taint.value);

/** Kubernetes' operators of node selectors; one that is not known here excludes no node. */
function isMet({ key, operator, values = [] }: Expression, labels: NodeOffer["labels"]): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return numberIn(value) > numberIn(values[0]);
    case "Lt":
      return numberIn(value) < numberIn(values[0]);
    default:
      return true;
  }
}

/** Of a whole number, as Kubernetes takes it; NaN, which is above and below nothing, of all else. */
const numberIn = (text = ""): number => (/^-?[0-9]{1,18}$/.test(text) ? Number(text) : NaN);
