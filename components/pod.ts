// Plain descriptions of pods, and the restricted security that every pod of a Database runs under.
import type * as k8s from "@pulumi/kubernetes";
import type { Resources } from "./args";
import { userId } from "./member";

/**
 * Runs `command` under an init process. As the first process of its container it would ignore the signal to stop until it handles it,
 * and a member that is told to stop right after its start would run on until its grace is over.
 */
export const underInit = (command: readonly string[]): string[] => ["tini", "--", ...command];

/** Where the value of an environment variable comes from when it is not given as text. */
export type EnvironmentSource =
  | { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  | { readonly configMapKeyRef: { readonly name: string; readonly key: string; readonly optional: boolean } }
  | { readonly resourceFieldRef: { readonly resource: string } }
  | { readonly fieldRef: { readonly fieldPath: string } };

/** Environment of a container; a later variable may use an earlier one as `$(NAME)`. */
export type Environment = Readonly<Record<string, string | EnvironmentSource>>;

/** A container, without what is the same for all of them. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: string[];
  readonly args?: string[];
  readonly env?: Environment;
  /** Name to number. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Volume name to mount path. */
  readonly mounts?: Readonly<Record<string, string>>;
  readonly resources: Resources;
  readonly startupProbe?: k8s.types.input.core.v1.Probe;
  readonly livenessProbe?: k8s.types.input.core.v1.Probe;
  readonly readinessProbe?: k8s.types.input.core.v1.Probe;
  /** What runs in the container after its start or before its end. */
  readonly lifecycle?: k8s.types.input.core.v1.Lifecycle;
  /** Whether the end of the log counts as the container's last word where it failed without one. Default: it does not. */
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
}

/** What a Job's container runs. `resources`: where it needs more than one that only connects to the database. */
export type JobProgram = Pick<Container, "command" | "env"> & Partial<Pick<Container, "resources">>;

/** Where backup Jobs have the backup volume. */
export const backupDirectory = "/backup";

/** A volume of a pod: scratch space, a claim, or files with fields of the pod itself. */
export type Volume =
  | { readonly name: string; readonly emptyDir: { readonly medium?: "Memory" } }
  | {
      readonly name: string;
      readonly downwardAPI: {
        readonly items: { readonly path: string; readonly fieldRef: { readonly fieldPath: string } }[];
      };
    }
  | {
      readonly name: string;
      readonly persistentVolumeClaim: { readonly claimName: string; readonly readOnly?: true };
    }
  /** A claim that is made for the pod, and goes with it. */
  | {
      readonly name: string;
      readonly ephemeral: {
        readonly volumeClaimTemplate: { readonly spec: k8s.types.input.core.v1.PersistentVolumeClaimSpec };
      };
    }
  | { readonly name: string; readonly secret: { readonly secretName: string } & OptionalFiles }
  /** All keys of a Secret without which the pod does not start. */
  | { readonly name: string; readonly secret: { readonly secretName: string; readonly defaultMode: number } }
  | { readonly name: string; readonly configMap: { readonly name: string } & OptionalFiles };

/** Keys of an object as files. What is missing is no file: the pod starts all the same, and has it once it is there. */
interface OptionalFiles {
  readonly optional: true;
  readonly items: { readonly key: string; readonly path: string }[];
}

/** These keys as files of the same names. */
export const filesOf = (...keys: readonly string[]): OptionalFiles => ({
  optional: true,
  items: keys.map((key) => ({ key, path: key })),
});

/** A pod, without what is the same for all of them. */
export interface Pod {
  readonly containers: readonly Container[];
  readonly volumes: readonly Volume[];
  /** Account of the pod. */
  readonly serviceAccountName: string;
  /** Whether the account's token is mounted: only who asks the Kubernetes API needs it. Default: false. */
  readonly automountServiceAccountToken?: true;
  readonly affinity?: k8s.types.input.core.v1.Affinity;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: k8s.types.input.core.v1.Toleration[];
  readonly priorityClassName?: string;
  readonly imagePullSecrets?: { readonly name: string }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: "Never" | "OnFailure";
}

/** Pod-level security: the "restricted" profile, one user and group over all images, volumes given to them once. */
export const podSecurity = {
  runAsNonRoot: true,
  runAsUser: userId,
  runAsGroup: userId,
  fsGroup: userId,
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
} as const;

/** Container-level security: the "restricted" profile and a root file system that cannot be written. */
export const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** An environment variable that is a key of a Secret. */
export const fromSecret = (name: string, key: string): EnvironmentSource => ({ secretKeyRef: { name, key } });

/** An environment variable that is a key of a ConfigMap, and is not set where there is none. */
export const fromConfigMap = (name: string, key: string): EnvironmentSource => ({
  configMapKeyRef: { name, key, optional: true },
});

/** An environment variable that is a field of the pod, such as "status.podIP". */
export const fromField = (fieldPath: string): EnvironmentSource => ({ fieldRef: { fieldPath } });

/** An environment variable that is a resource of the container, such as "limits.memory", in whole units. */
export const fromResource = (resource: string): EnvironmentSource => ({ resourceFieldRef: { resource } });

/** A volume with one file: the value of an annotation of the pod. */
export const annotationVolume = (name: string, annotation: string, path: string): Volume => ({
  name,
  downwardAPI: { items: [{ path, fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } }] },
});
