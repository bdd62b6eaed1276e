// What pods of the operator's image have in common: as restricted as Pod Security asks for, and apart from each other.
import type * as k8s from "@pulumi/kubernetes";

type PodSpec = k8s.types.input.core.v1.PodSpec;
type Container = k8s.types.input.core.v1.Container;

/** The image's user. */
const USER_ID = 999;

/** Of pods with these labels as few as possible share a node. */
export const restrictedPod = (
  matchLabels: Record<string, string>,
): Pick<PodSpec, "topologySpreadConstraints" | "securityContext"> => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels },
    },
  ],
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER_ID,
    runAsGroup: USER_ID,
    fsGroup: USER_ID,
    seccompProfile: { type: "RuntimeDefault" },
  },
});

export const restrictedContainer: Pick<Container, "securityContext"> = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  },
};
