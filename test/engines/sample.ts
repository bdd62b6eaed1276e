// What tests must know of an engine to try it like every other: typical Databases, and values that its servers start with.
import type { DatabaseArgs } from "../../components";

const expressions = [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["eu-1a", "eu-1b"] }] as const;

/** All that can be said of where pods run, what they carry, and how clients reach them. */
export const placed: Partial<DatabaseArgs> = {
  replicas: 3,
  placement: {
    nodeSelector: { disk: "ssd" },
    tolerations: [
      { key: "dedicated", operator: "Equal", value: "databases", effect: "NoSchedule" },
      { key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
    ],
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: "fast", operator: "Exists" }] } },
      ],
    },
    antiAffinity: { type: "Required", topologyKey: "topology.kubernetes.io/zone" },
    priorityClassName: "important",
  },
  podMetadata: { labels: { team: "data" }, annotations: { "sidecar.istio.io/inject": "false" } },
  imagePullSecrets: ["registry"],
  services: {
    readWrite: {
      type: "LoadBalancer",
      loadBalancerSourceRanges: ["203.0.113.0/24"],
      annotations: { "external-dns.alpha.kubernetes.io/hostname": "orders.example.com" },
    },
    any: { type: "ClusterIP", labels: { team: "data" } },
  },
};

type Texts = Readonly<Record<string, string>>;

export interface EngineSample {
  /** A version of the server, as a spec has it. */
  readonly version: string;
  /** In which ConfigMaps `<name>-<object>` its consensus keeps its state: written down a second time, to judge the operator by. */
  readonly consensusObjects: readonly string[];
  /** Databases by case, of which the goldens are recorded: at least the smallest and the largest. Engine, version and image are filled in. */
  readonly goldens: Readonly<Record<string, Partial<DatabaseArgs>>>;
  /** What random edits choose from. */
  readonly edits: {
    /** Numbers of members. */
    readonly replicas: readonly number[];
    /** Parameters with values, some that running members apply and some that only a restart does. */
    readonly parameters: Readonly<Record<string, readonly string[]>>;
    /** Parameters in two ConfigMaps: one that running members apply, and one that only a restart does. */
    readonly tuning: { readonly "tuning-running": Texts; readonly "tuning-restart": Texts };
  };
}
