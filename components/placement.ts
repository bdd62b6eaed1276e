// Where the pods of a Database run, what they carry, and with what their images are pulled: the same for members and Jobs.
import type * as k8s from "@pulumi/kubernetes";
import { antiAffinityDefaults } from "../contract/defaults";
import { memberSelector } from "./naming";
import type { PodPlacement } from "./placement-args";
import type { Pod } from "./pod";
import type { Settings } from "./settings";

type Affinity = k8s.types.input.core.v1.Affinity;
type Toleration = k8s.types.input.core.v1.Toleration;

/** The pod with what is said of all of them. Where nothing is, it stays as it is. */
export function placedPod(settings: Settings, pod: Pod): Pod {
  const { placement = {}, imagePullSecrets = [] } = settings;
  const { nodeSelector = {}, tolerations = [], priorityClassName } = placement;
  const affinity = affinityOf(placement, pod.affinity);
  return {
    ...pod,
    ...(affinity !== undefined && { affinity }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map(tolerationOf) }),
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
  };
}

/** As the API server keeps it: without what is a default there. */
const tolerationOf = ({ key, operator, value, effect, tolerationSeconds }: PodToleration): Toleration => ({
  ...(key !== undefined && { key }),
  operator: operator ?? "Equal",
  ...(value !== undefined && value !== "" && { value }),
  ...(effect !== undefined && { effect }),
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

type PodToleration = NonNullable<PodPlacement["tolerations"]>[number];

function affinityOf({ nodeAffinity }: PodPlacement, own: Affinity | undefined): Affinity | undefined {
  if (nodeAffinity === undefined) return own;
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = nodeAffinity;
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } = nodeAffinity;
  if (required === undefined && preferred.length === 0) return own;
  const demands = {
    ...(required !== undefined && {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: required.nodeSelectorTerms.map(termOf),
      },
    }),
    ...(preferred.length > 0 && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ weight, preference }) => ({
        weight,
        preference: termOf(preference),
      })),
    }),
  };
  return { ...own, nodeAffinity: demands };
}

type Term = NonNullable<
  NonNullable<PodPlacement["nodeAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>["nodeSelectorTerms"][number];

const termOf = ({ matchExpressions }: Term): k8s.types.input.core.v1.NodeSelectorTerm => ({
  matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    operator,
    ...(values.length > 0 && { values: [...values] }),
  })),
});

/** Rather another node than another zone: what members prefer where they need not. */
const preferences = [
  { topologyKey: "kubernetes.io/hostname", weight: 100 },
  { topologyKey: "topology.kubernetes.io/zone", weight: 50 },
];

/** Members keep apart where they can; but they run anyway when they cannot, unless it is required. */
export function spreadOf({ name, placement }: Settings): Affinity {
  const { type, topologyKey } = { ...antiAffinityDefaults, ...placement?.antiAffinity };
  const isRequired = type === "Required";
  const term = (key: string): k8s.types.input.core.v1.PodAffinityTerm => ({
    topologyKey: key,
    labelSelector: { matchLabels: memberSelector(name) },
  });
  const known = preferences.some((one) => one.topologyKey === topologyKey);
  const wishes = isRequired
    ? preferences.filter((one) => one.topologyKey !== topologyKey)
    : [...preferences, ...(known ? [] : [{ topologyKey, weight: 75 }])];
  return {
    podAntiAffinity: {
      ...(isRequired && { requiredDuringSchedulingIgnoredDuringExecution: [term(topologyKey)] }),
      preferredDuringSchedulingIgnoredDuringExecution: wishes.map(({ topologyKey: key, weight }) => ({
        weight,
        podAffinityTerm: term(key),
      })),
    },
  };
}

/** Metadata of the template of any of its pods: ours last, by which others find them. */
export function podMetadataOf(
  { podMetadata = {} }: Settings,
  own: { readonly labels: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> },
): k8s.types.input.meta.v1.ObjectMeta {
  const annotations = { ...podMetadata.annotations, ...own.annotations };
  return {
    labels: { ...podMetadata.labels, ...own.labels },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}
