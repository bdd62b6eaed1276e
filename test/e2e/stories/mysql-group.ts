// Members of MySQL in the stories: how they are asked, and when their group is whole.
import assert from "node:assert/strict";
import { z } from "zod";
import { labelledPrimaries } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import type { Kubectl } from "../../harness/kubectl";
import { askMysqlMember } from "../../harness/real-mysql";

const Member = z.object({
  metadata: z.object({ labels: z.object({ role: z.string().default("") }) }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

export const members = ["orders-0", "orders-1", "orders-2"] as const;

/** The group of the Database `orders`, which has three members. */
export class MysqlGroup {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;

  constructor(kubectl: Kubectl, namespace: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
  }

  /** Runs a script of the shell in a member's container. */
  async inMember(pod: string, script: string): Promise<string> {
    const exec = ["exec", "-n", this.#namespace, pod, "-c", "mysql", "--", "bash", "-c", script];
    return (await this.#kubectl(...exec)).trim();
  }

  /** As the superuser, on the member itself. */
  askMember(pod: string, sql: string): Promise<string> {
    return askMysqlMember(this.#kubectl, this.#namespace, pod, sql);
  }

  /** A lock that it leaves names a program that runs, as it may after the end of a container. */
  killServer(pod: string): Promise<string> {
    return this.inMember(pod, "pid=$(cat /run/mysqld/mysqld.pid); echo 1 >/run/mysqld/mysqld.sock.lock; kill -9 $pid");
  }

  /** What distinguishes a member's server from those before and after: its number, and when it was started, in ticks of this machine. */
  serverOf(pod: string): Promise<string> {
    return this.inMember(pod, "pid=$(cat /run/mysqld/mysqld.pid); echo $pid $(cut -d' ' -f22 /proc/$pid/stat)");
  }

  /** Waits until one pod has the label of the primary, and returns its name. */
  primary(): Promise<string> {
    return eventually(async () => {
      const [pod, ...others] = await labelledPrimaries(this.#kubectl, [this.#namespace, "orders"]);
      assert.ok(pod !== undefined && others.length === 0);
      return pod.name;
    }, minutes(1));
  }

  /** Waits until each member is ready and has a role: a pod stays ready for a while when its server is gone. */
  async untilWhole(): Promise<void> {
    const selector = "database=orders,app.kubernetes.io/component=database";
    await eventually(async () => {
      const pods = z.array(Member).parse(await this.#kubectl.list("pods", { namespace: this.#namespace, selector }));
      const states = pods.map(({ metadata, status }) => {
        const ready = status.conditions.find(({ type }) => type === "Ready");
        return `${metadata.labels.role} ${ready?.status ?? ""}`;
      });
      assert.deepEqual(states.sort(), ["primary True", "replica True", "replica True"]);
    }, minutes(2));
  }
}
