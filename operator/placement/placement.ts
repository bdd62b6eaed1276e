// Whether any node could take a member: what it asks for against what each node has for pods. What other pods take of a node is not
// counted: that changes from moment to moment, and would need the right to read them all.
import type { Requests } from "../domain/engines";
import type { NodeDemands, PodWish, Terms } from "../domain/pod-wish";
import { fulfils, hasLabels, isOpenTo, obstaclesOf, type NodeOffer, type Taint } from "./nodes";

/** A volume that not every node can reach. */
export interface PinnedVolume {
  readonly claim: string;
  /** One of them must hold whole. */
  readonly terms: Terms;
}

/** Undefined where some node could take it. `pages`: the nodes, read no further than to the first that could. */
export async function placementProblem(
  wanted: PodWish,
  pages: AsyncIterable<readonly NodeOffer[]>,
  volume?: PinnedVolume,
): Promise<string | undefined> {
  const seen: NodeOffer[] = [];
  for await (const page of pages) {
    if (page.some((node) => couldTake(node, wanted, volume))) return undefined;
    seen.push(...page);
  }
  return reasonOf(wanted, seen, volume);
}

/** Whether the node could take the pod of a member, with the volume that it has, if any. */
export const couldTake = (node: NodeOffer, wanted: PodWish, volume?: PinnedVolume): boolean =>
  fulfils(node, volume?.terms) && isWanted(node, wanted) && isFree(node, wanted) && holds(node, wanted);

const isWanted = (node: NodeOffer, wanted: NodeDemands): boolean =>
  hasLabels(node, wanted) && fulfils(node, wanted.terms);
const isFree = (node: NodeOffer, wanted: NodeDemands): boolean =>
  isOpenTo(node, wanted) && obstaclesOf(node, wanted).length === 0;
const holds = (node: NodeOffer, { cpu, memory }: Requests): boolean => node.cpu >= cpu && node.memory >= memory;

/** Of the demands the first that leaves no node. */
function reasonOf(wanted: PodWish, nodes: readonly NodeOffer[], volume: PinnedVolume | undefined): string {
  const where = volume === undefined ? "" : ` that reaches the volume of ${volume.claim}`;
  const reached = nodes.filter((node) => fulfils(node, volume?.terms));
  if (reached.length === 0) return `no node${where} takes pods now`;
  const labels = labelText(wanted);
  const labeled = reached.filter((node) => hasLabels(node, wanted));
  if (labeled.length === 0) return `no node${where} has ${labels}`;
  const such = `${where}${labels === "" ? "" : ` with ${labels}`}`;
  const meant = labeled.filter((node) => fulfils(node, wanted.terms));
  if (meant.length === 0) return `no node${such} meets spec.placement.nodeAffinity`;
  const open = meant.filter((node) => isFree(node, wanted));
  if (open.length === 0) return `no node${such} takes pods now${taintText(meant, wanted)}`;
  return `no node${such} has ${lackOf(wanted, open)} for a member`;
}

function labelText({ nodeSelector = {} }: NodeDemands): string {
  const pairs = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  if (pairs.length === 0) return "";
  return `the label${pairs.length === 1 ? "" : "s"} ${pairs.join(", ")}`;
}

/** Of how many taints the names are told. */
const toldTaints = 3;

function taintText(nodes: readonly NodeOffer[], wanted: NodeDemands): string {
  const taints = nodes.filter(({ isOpen }) => isOpen).flatMap((node) => obstaclesOf(node, wanted).map(nameOfTaint));
  const names = [...new Set(taints)].slice(0, toldTaints);
  return names.length === 0 ? "" : `, as members do not tolerate ${names.join(", ")}`;
}

const nameOfTaint = ({ key, value, effect }: Taint): string => `${key}${value === "" ? "" : `=${value}`}:${effect}`;

function lackOf({ cpu, memory }: Requests, nodes: readonly NodeOffer[]): string {
  const [most, largest] = [Math.max(...nodes.map((node) => node.cpu)), Math.max(...nodes.map((node) => node.memory))];
  const lacks = [
    ...(memory > largest ? [`${memoryText(memory)} of memory (the largest has ${memoryText(largest)})`] : []),
    ...(cpu > most ? [`${cpu} CPUs (the largest has ${most})`] : []),
  ];
  return lacks.length > 0 ? lacks.join(" and ") : `${memoryText(memory)} of memory and ${cpu} CPUs together`;
}

function memoryText(bytes: number): string {
  const [unit, name] = bytes >= 2 ** 30 ? ([2 ** 30, "Gi"] as const) : ([2 ** 20, "Mi"] as const);
  return `${Math.floor((bytes / unit) * 10) / 10}${name}`;
}
