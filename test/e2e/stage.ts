// What stories share: one real cluster with the platform, and an operator.
import { z } from "zod";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace, type Kubectl } from "../harness/kubectl";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { StageOperator } from "./operator";

export interface StageOptions {
  /** Names of images beside those that every cluster gets. */
  readonly extraImages?: readonly string[];
  /** Where the operator runs. Default: in a process that is started with the cluster. */
  readonly operator?: "deployed";
  /** Settings of the platform's stack beside the usual ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export class Stage {
  readonly operator = new StageOperator(() => this.platform);
  readonly #options: StageOptions;
  #opened: Promise<void> | undefined;
  #platform: PlatformCluster | undefined;
  readonly #namespaces = new Set<string>();

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** Throws before the first hook of a story. */
  get platform(): PlatformCluster {
    if (this.#platform === undefined) throw new Error("the cluster is started by the hooks of the first story");
    return this.#platform;
  }

  /** Whether there is a cluster. */
  get isOpen(): boolean {
    return this.#platform !== undefined;
  }

  /** As cluster-admin. */
  get kubectl(): Kubectl {
    return this.platform.kubectl;
  }

  /** Starts the cluster, where no story has. */
  open(): Promise<void> {
    return (this.#opened ??= this.#open());
  }

  /** The same, and creates the namespace of one. */
  async enter(namespace: string): Promise<void> {
    await this.open();
    if (this.#namespaces.has(namespace)) return;
    this.#namespaces.add(namespace);
    await makeNamespace(this.kubectl, namespace);
  }

  /** Deletes what a story left, without waiting: its members would take time from those of others. */
  async leave(namespace: string): Promise<void> {
    await this.kubectl("delete", "databases", "--all", "-n", namespace, "--wait=false");
  }

  /** Kills operator and cluster, with all that the cluster has. Nothing is left to close. */
  async lose(): Promise<void> {
    const platform = this.platform;
    await this.operator.kill();
    this.#platform = undefined;
    await platform.lose();
  }

  /** Ends everything that was started. Throws where an invariant was broken. */
  async close(): Promise<void> {
    const platform = this.#platform;
    if (platform === undefined) return;
    // whatever fails, an operator that stayed would keep this process alive
    await this.#untilDeleted()
      .finally(() => this.operator.stop())
      .finally(() => platform.stop());
  }

  async #open(): Promise<void> {
    const options = { nodes: "real", ...this.#options } as const;
    this.#platform = await startPlatformCluster(options);
    if (this.#options.operator === undefined) await this.operator.start();
  }

  /** Invariants hold of what is there, and of what is gone. */
  async #untilDeleted(): Promise<void> {
    const Databases = z.object({
      items: z.array(z.object({ metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }) })),
    });
    await eventually(async () => {
      const { items } = Databases.parse(JSON.parse(await this.kubectl("get", "databases", "-A", "-o", "json")));
      const going = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (going.length > 0) throw new Error(`still there: ${going.map(({ metadata }) => metadata.name).join(", ")}`);
    }, minutes(2));
  }
}
