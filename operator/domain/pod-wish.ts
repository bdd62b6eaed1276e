// What the pod of a member asks of nodes.
import type { Requests } from "./engines";

/** An expression over the labels of nodes, as in a volume's `nodeAffinity`. */
export interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** One of them must hold whole; none: every node will do. */
export type Terms = readonly (readonly Expression[])[];

/** As in a pod. */
export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}

/** What a pod asks of the nodes, beside room. */
export interface NodeDemands {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly terms?: Terms | undefined;
}

/** What the pod of a member asks for. */
export interface PodWish extends Requests, NodeDemands {
  /** Set where no two members may be in the same place, and how many there are. */
  readonly apart?: { readonly topologyKey: string; readonly members: number } | undefined;
  readonly priorityClassName?: string | undefined;
}
