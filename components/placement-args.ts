// Where pods run and how clients reach them, as a program writes it.

/** A condition on one label of a node, as in a pod. */
export interface NodeExpression {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values?: readonly string[] | undefined;
}

interface NodeTerm {
  readonly matchExpressions: readonly NodeExpression[];
}

/** Which nodes pods run on. */
export interface PodPlacement {
  /** Labels that a node must have. Default: none. */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** Taints that do not keep the pods away. Default: none. */
  readonly tolerations?:
    | readonly {
        readonly key?: string | undefined;
        readonly operator?: "Equal" | "Exists" | undefined;
        readonly value?: string | undefined;
        readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute" | undefined;
        readonly tolerationSeconds?: number | undefined;
      }[]
    | undefined;
  /** As in a pod. Default: none. */
  readonly nodeAffinity?:
    | {
        readonly requiredDuringSchedulingIgnoredDuringExecution?:
          { readonly nodeSelectorTerms: readonly NodeTerm[] } | undefined;
        readonly preferredDuringSchedulingIgnoredDuringExecution?:
          readonly { readonly weight: number; readonly preference: NodeTerm }[] | undefined;
      }
    | undefined;
  /** How members keep apart. Default: preferred, rather another node than another zone. */
  readonly antiAffinity?: { readonly type: "Preferred" | "Required"; readonly topologyKey: string } | undefined;
  /** Default: the cluster's default class. */
  readonly priorityClassName?: string | undefined;
}

/** What objects carry beside what this library writes. */
export interface OwnMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A Service for clients. */
export interface ClientService extends OwnMetadata {
  readonly type: "ClusterIP" | "LoadBalancer";
  /** From where clients may connect through a load balancer; needed with one. */
  readonly loadBalancerSourceRanges?: readonly string[] | undefined;
}

/** The Services for clients: `<name>`, `<name>-ro` and `<name>-any`. */
export interface ClientServices {
  readonly readWrite?: ClientService | undefined;
  readonly readOnly?: ClientService | undefined;
  readonly any?: ClientService | undefined;
}
