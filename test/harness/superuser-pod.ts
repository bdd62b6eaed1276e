// A pod that has the superuser's password of a Database, as one that found it would: with it, it tries the Services.
import type { Kubectl } from "./kubectl";

/** Whose superuser, and with which program it connects. */
export interface SuperuserPodArgs {
  readonly namespace: string;
  readonly database: string;
  readonly image: string;
  /** A script of the shell that sends the statement $3 as user $2 to the host $1; it finds the password in PASSWORD. */
  readonly script: string;
}

/** See the header. */
export class SuperuserPod {
  readonly #kubectl: Kubectl;
  readonly #args: SuperuserPodArgs;

  constructor(kubectl: Kubectl, args: SuperuserPodArgs) {
    this.#kubectl = kubectl;
    this.#args = args;
  }

  /** Makes the pod, and returns when it runs. */
  async start(): Promise<void> {
    const { namespace, database, image } = this.#args;
    await this.#kubectl.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: this.#pod, namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            ...{ name: "client", image, command: ["sleep", "infinity"] },
            env: [
              {
                name: "PASSWORD",
                valueFrom: { secretKeyRef: { name: `${database}-system`, key: "superuser-password" } },
              },
            ],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    });
    await this.#kubectl("wait", `pod/${this.#pod}`, "-n", namespace, "--for=condition=Ready", "--timeout=60s");
  }

  /** Sends a statement through a Service. Throws what the client said on an error. */
  async ask(user: string, statement: string, service = this.#args.database): Promise<string> {
    const { namespace, script } = this.#args;
    const shell = ["--", "bash", "-c", script, "bash", service, user, statement];
    return (await this.#kubectl("exec", "-n", namespace, this.#pod, ...shell)).trim();
  }

  get #pod(): string {
    return `${this.#args.database}-superuser`;
  }
}
