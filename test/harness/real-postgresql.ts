// PostgreSQL on real nodes: SQL as an application sends it, and as a member's superuser.
import { startClient } from "./client-pod";
import type { Kubectl } from "./kubectl";

/** Sends SQL to a member as its superuser, in the application's database, and returns the rows, columns apart by `|`. */
export async function askPostgresqlMember(
  kubectl: Kubectl,
  namespace: string,
  pod: string,
  sql: string,
): Promise<string> {
  const psql = ["psql", "-XAtq", "-d", "app", "-c", sql];
  return (await kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", ...psql)).trim();
}

/** Which Database an application uses. */
export interface Application {
  readonly namespace: string;
  readonly database: string;
  /** With psql in it, such as the server's. */
  readonly image: string;
}

const waiting = "import time\nwhile True: time.sleep(3600)";

/** An application: a pod with psql that has the credentials Secret of a Database. It is created when it is asked for the first time. */
export class PostgresqlClient {
  readonly #kubectl: Kubectl;
  readonly #application: Application;
  #started: Promise<void> | undefined;

  constructor(kubectl: Kubectl, application: Application) {
    this.#kubectl = kubectl;
    this.#application = application;
  }

  /** Sends SQL through a Service and returns the rows, columns apart by `|`. Throws what psql said on an error. */
  async ask(sql: string, service = this.#application.database): Promise<string> {
    const { namespace } = this.#application;
    await (this.#started ??= this.#start());
    const psql = ["psql", `host=${service} connect_timeout=5`, "-XAt", "-v", "ON_ERROR_STOP=1", "-c", sql];
    return (await this.#kubectl("exec", "-n", namespace, this.#pod, "--", ...psql)).trimEnd();
  }

  /** The next statement creates another pod, with the credentials of then. */
  async remove(): Promise<void> {
    this.#started = undefined;
    await this.#kubectl("delete", "pod", this.#pod, "-n", this.#application.namespace);
  }

  get #pod(): string {
    return `${this.#application.database}-client`;
  }

  #start(): Promise<void> {
    return startClient(this.#kubectl, { ...this.#application, name: this.#pod, program: waiting });
  }
}
