// A pod that only waits for scripts to be run in it, such as one with the client of a database.
import type { Kubectl } from "./kubectl";

export interface IdlePod {
  readonly name: string;
  readonly namespace: string;
  /** With bash in it. */
  readonly image: string;
  /** Variables of its environment by name, each from a key of a Secret. */
  readonly env: Readonly<Record<string, SecretKey>>;
  /** Secrets by the directories at which it has them as files. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
}

interface SecretKey {
  readonly secret: string;
  readonly key: string;
}

/** Creates it, and returns when it runs. */
export async function startIdlePod(kubectl: Kubectl, pod: IdlePod): Promise<void> {
  const { name, namespace, image, env, files = {} } = pod;
  const mounted = Object.entries(files).map(([mountPath, secretName], index) => ({
    mountPath,
    secretName,
    name: `files-${index}`,
  }));
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
      volumes: mounted.map(({ name: volume, secretName }) => ({ name: volume, secret: { secretName } })),
      containers: [
        {
          volumeMounts: mounted.map(({ name: volume, mountPath }) => ({ name: volume, mountPath, readOnly: true })),
          ...{ name: "client", image, command: ["sleep", "infinity"] },
          env: Object.entries(env).map(([variable, { secret, key }]) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: secret, key } },
          })),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  });
  await kubectl("wait", `pod/${name}`, "-n", namespace, "--for=condition=Ready", "--timeout=60s");
}

/** Runs a script of the shell in it, with arguments from $1 on, and returns what it printed. */
export async function runIn(
  kubectl: Kubectl,
  { name, namespace }: Pick<IdlePod, "name" | "namespace">,
  script: string,
  ...args: readonly string[]
): Promise<string> {
  return (await kubectl("exec", "-n", namespace, name, "--", "bash", "-c", script, "bash", ...args)).trim();
}
