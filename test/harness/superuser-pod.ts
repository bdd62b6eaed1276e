// A pod that has the superuser's password of a Database, as one that found it would: with it, it tries the Services.
import { runIn, startIdlePod } from "./idle-pod";
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

  /** Creates the pod, and returns when it runs. */
  start(): Promise<void> {
    const { namespace, database, image } = this.#args;
    const env = { PASSWORD: { secret: `${database}-system`, key: "superuser-password" } };
    return startIdlePod(this.#kubectl, { name: this.#pod, namespace, image, env });
  }

  /** Sends a statement through a Service. Throws what the client said on an error. */
  ask(user: string, statement: string, service = this.#args.database): Promise<string> {
    const { namespace, script } = this.#args;
    return runIn(this.#kubectl, { name: this.#pod, namespace }, script, service, user, statement);
  }

  get #pod(): string {
    return `${this.#args.database}-superuser`;
  }
}
