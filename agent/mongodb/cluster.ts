// The part of the Kubernetes API that a member uses: its peers' pods, how many are wanted, and the record of the set.
import { z } from "zod";
import { ordinalOf } from "../domain";
import type { KubernetesClient } from "../kubernetes/client";
import { readConfigMap, swapConfigMap } from "../kubernetes/config-map";
import { configMapPath, memberPodsPath } from "../kubernetes/paths";
import type { InitiationRecord } from "./observation";
import type { Cluster, PodView } from "./ports";
import type { MemberSettings } from "./settings";
import { memberKey } from "../../contract/member";
import { Wanted } from "./wanted";

/** The key of the record. */
const recordKey = "begun-by";

const PodList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
      status: z.object({ phase: z.string().default("Pending") }).default({ phase: "Pending" }),
    }),
  ),
});

/** See the header. */
export class KubernetesCluster implements Cluster {
  readonly #client: KubernetesClient;
  readonly #settings: MemberSettings;

  constructor(client: KubernetesClient, settings: MemberSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  async pods(): Promise<readonly PodView[]> {
    const { namespace, database } = this.#settings;
    const { items } = PodList.parse(await this.#client.get(memberPodsPath(namespace, database)));
    return items.map(({ metadata: { name, labels }, status }) => ({
      name,
      ordinal: ordinalOf(name),
      running: status.phase === "Running",
      role: labels["role"],
    }));
  }

  async wanted(): Promise<number> {
    return (await this.configuration()).replicas;
  }

  async record(): Promise<InitiationRecord> {
    const { version, data } = await readConfigMap(this.#client, this.#path("replica-set"));
    const token = data[recordKey];
    return token === undefined ? { kind: "empty", version } : { kind: "claimed", token };
  }

  async claim(version: string, token: string): Promise<boolean> {
    const data = { [recordKey]: token };
    return (await swapConfigMap(this.#client, this.#path("replica-set"), version, data)) !== undefined;
  }

  /** What the operator wants, parameters included. */
  async configuration(): Promise<Wanted> {
    const { data } = await readConfigMap(this.#client, this.#path("config"));
    return Wanted.parse(JSON.parse(data[memberKey] ?? "{}"));
  }

  #path(object: string): string {
    return configMapPath(this.#settings.namespace, `${this.#settings.database}-${object}`);
  }
}
