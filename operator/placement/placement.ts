// Whether any node could take a member: what it asks for against what each node has for pods. What other pods take of a node is not
// counted: that changes from moment to moment, and would need the right to read them all.
import type { Requests } from "../domain/engines";

/** What a node has for pods. */
export interface NodeOffer extends Requests {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it takes pods that tolerate nothing: it is not cordoned, and no taint keeps them away. */
  readonly isOpen: boolean;
}

/** An expression over the labels of nodes, as in a volume's `nodeAffinity`. */
export interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** A volume that not every node can reach. */
export interface PinnedVolume {
  readonly claim: string;
  /** One of them must hold whole. */
  readonly terms: readonly (readonly Expression[])[];
}

/** Undefined where some node could take it. `pages`: the nodes, read no further than to the first that could. */
export async function placementProblem(
  wanted: Requests,
  pages: AsyncIterable<readonly NodeOffer[]>,
  volume?: PinnedVolume,
): Promise<string | undefined> {
  const seen: NodeOffer[] = [];
  for await (const page of pages) {
    const open = page.filter((node) => node.isOpen && (volume === undefined || reaches(node, volume)));
    if (open.some((node) => holds(node, wanted))) return undefined;
    seen.push(...open);
  }
  const where = volume === undefined ? "" : ` that reaches the volume of ${volume.claim}`;
  if (seen.length === 0) return `no node${where} takes pods now`;
  return `no node${where} has ${lackOf(wanted, seen)} for a member`;
}

const holds = (node: NodeOffer, { cpu, memory }: Requests): boolean => node.cpu >= cpu && node.memory >= memory;

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

const reaches = ({ labels }: NodeOffer, { terms }: PinnedVolume): boolean =>
  terms.length === 0 || terms.some((term) => term.length > 0 && term.every((one) => isMet(one, labels)));

/** Kubernetes' operators of node selectors; one that is not known here excludes no node. */
function isMet({ key, operator, values }: Expression, labels: Readonly<Record<string, string>>): boolean {
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
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      return true;
  }
}
