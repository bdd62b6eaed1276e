// MySQL on real nodes: its members, and an application that writes numbered rows.
import { eventually, minutes } from "./eventually";
import { runIn, startIdlePod } from "./idle-pod";
import type { Kubectl } from "./kubectl";

/** Sends SQL to a member as its superuser, from its own container, and returns the rows, columns apart by tabs. `sql` holds no single quote. */
export async function askMysqlMember(kubectl: Kubectl, namespace: string, pod: string, sql: string): Promise<string> {
  const script = `MYSQL_PWD="$SUPERUSER_PASSWORD" mysql --user=root --socket=/run/mysqld/mysqld.sock -BN --execute='${sql}'`;
  return (await kubectl("exec", "-n", namespace, pod, "-c", "mysql", "--", "bash", "-c", script)).trim();
}

/** A pod with MySQL's client, which has the credentials of a Database. */
export class MysqlClient {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;
  readonly #database: string;

  constructor(kubectl: Kubectl, namespace: string, database: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
    this.#database = database;
  }

  /** Creates the pod. */
  start(image: string): Promise<void> {
    const secret = `${this.#database}-credentials`;
    const env = {
      DATABASE_USER: { secret, key: "username" },
      MYSQL_PWD: { secret, key: "password" },
      DATABASE_URI: { secret, key: "uri" },
    };
    return startIdlePod(this.#kubectl, { name: this.#pod, namespace: this.#namespace, image, env });
  }

  /** Sends SQL through a Service and returns its rows, columns apart by tabs. Throws what the client said on an error. */
  ask(sql: string, service = this.#database): Promise<string> {
    return this.run(
      'exec mysql --connect-timeout=3 --user="$DATABASE_USER" -BN --host="$1" app --execute="$2"',
      service,
      sql,
    );
  }

  /** Runs a script of the shell in the pod. */
  run(script: string, ...args: readonly string[]): Promise<string> {
    return runIn(this.#kubectl, { name: this.#pod, namespace: this.#namespace }, script, ...args);
  }

  /** Writes rows into the table `acked`, one after the other and each with a connection of its own, until `end`. */
  async startWriting(): Promise<void> {
    await this.ask("create table if not exists acked (n int primary key)");
    const insert = `mysql --connect-timeout=2 --user="$DATABASE_USER" --host=${this.#database} app`;
    const loop = `n=$(cat /tmp/n 2>/dev/null || echo 0); while [ ! -e /tmp/stop ]; do n=$((n + 1)); echo $n >/tmp/n
      timeout 2 ${insert} --execute="insert into acked values ($n)" && echo $n >>/tmp/acked; done; touch /tmp/ended`;
    await this.run(`rm -f /tmp/stop /tmp/ended; (${loop}) >/dev/null 2>&1 </dev/null &`);
  }

  /** Waits until more rows than so far are acknowledged. */
  async untilWriting(): Promise<void> {
    const before = (await this.acknowledged()).length;
    await eventually(async () => {
      const now = (await this.acknowledged()).length;
      if (now < before + 3) throw new Error(`no row is acknowledged: ${now}, and ${before} before`);
    }, minutes(2));
  }

  /** The rows that were acknowledged so far. */
  async acknowledged(): Promise<readonly string[]> {
    return (await this.run("cat /tmp/acked 2>/dev/null || true")).split("\n").filter((line) => line !== "");
  }

  /** Ends the writing and returns those acknowledged rows that the database does not have. */
  async lost(): Promise<readonly string[]> {
    await this.run("touch /tmp/stop; for try in $(seq 100); do [ -e /tmp/ended ] && break; sleep 0.1; done");
    const rows = await eventually(() => this.ask("select n from acked"), minutes(1));
    const there = new Set(rows.split("\n"));
    return (await this.acknowledged()).filter((row) => !there.has(row));
  }

  get #pod(): string {
    return `${this.#database}-client`;
  }
}
