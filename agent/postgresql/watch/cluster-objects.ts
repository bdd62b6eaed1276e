// The objects of the Kubernetes API that the watch reads and writes: Patroni's record of the leader, and pods.
import { z } from "zod";
import { archiveAnnotation } from "../../../contract/archive-note";
import type { KubernetesClient } from "../../kubernetes/client";
import { configMapPath, podPath } from "../../kubernetes/paths";
import type { MemberSettings } from "../settings";
import type { Kubernetes, Lease, Pod } from "./ports";

const Leader = z.object({
  metadata: z.object({
    annotations: z.object({ leader: z.string().optional(), renewTime: z.string().optional() }).default({}),
  }),
});
const Pods = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string(), resourceVersion: z.string() }) })),
});

/** See the header. */
export class ClusterObjects implements Kubernetes {
  readonly #client: Pick<KubernetesClient, "get" | "patch">;
  readonly #settings: Pick<MemberSettings, "namespace" | "database" | "labels">;

  constructor(
    client: Pick<KubernetesClient, "get" | "patch">,
    settings: Pick<MemberSettings, "namespace" | "database" | "labels">,
  ) {
    this.#client = client;
    this.#settings = settings;
  }

  async lease(): Promise<Lease> {
    const { namespace, database } = this.#settings;
    const { metadata } = Leader.parse(await this.#client.get(configMapPath(namespace, `${database}-leader`)));
    return { leader: metadata.annotations.leader, renewed: metadata.annotations.renewTime };
  }

  async labelledPrimary(): Promise<readonly Pod[]> {
    const { namespace, database, labels } = this.#settings;
    const selector = `${labels.database}=${database},${labels.role}=${labels.primary}`;
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = Pods.parse(await this.#client.get(path));
    return items.map(({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion }));
  }

  async depose({ name, version }: Pod): Promise<void> {
    const { namespace, labels } = this.#settings;
    const metadata = { resourceVersion: version, labels: { [labels.role]: labels.replica } };
    await this.#client.patch(podPath(namespace, name), { metadata });
  }

  async noteArchive(pod: string, note: string | undefined): Promise<void> {
    const metadata = { annotations: { [archiveAnnotation]: note ?? null } };
    await this.#client.patch(podPath(this.#settings.namespace, pod), { metadata });
  }
}
