// A pod that does something with claims, once: as the restricted profile of pod security wants it, and as the user whose files they hold.

/** Which pod. */
export interface VolumePod {
  readonly namespace: string;
  /** Of the pod; its container has the one that `container` says, or the same. */
  readonly name: string;
  readonly container?: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: readonly unknown[];
  /** Default: neither requests nor limits. */
  readonly resources?: unknown;
  /** Names of the claims, by that of their volume: each is mounted at `/<volume>`. */
  readonly claims: Readonly<Record<string, string>>;
}

/** Its object. */
export function volumePod({
  namespace,
  name,
  container = name,
  image,
  command,
  env,
  resources,
  claims,
}: VolumePod): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          ...{ name: container, image, command },
          ...(env !== undefined && { env }),
          ...(resources !== undefined && { resources }),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          volumeMounts: Object.keys(claims).map((volume) => ({ name: volume, mountPath: `/${volume}` })),
        },
      ],
      volumes: Object.entries(claims).map(([volume, claimName]) => ({
        ...{ name: volume, persistentVolumeClaim: { claimName } },
      })),
    },
  };
}
