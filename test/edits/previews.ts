// Previews in this process, by the code of `make preview`: Pulumi is opened once.
import { KubeConfig } from "@kubernetes/client-node";
import { accessOf } from "../../operator/kube/access";
import { openCluster, type OpenCluster } from "../../operator/preview/cluster";
import type { Plan } from "../../operator/preview/plan";
import { prepareApply } from "../../operator/preview/prepare";
import { openPreviewer, previewed } from "../../operator/preview/run";
import type { PlatformCluster } from "../harness/platform-cluster";
import { operatorNamespace } from "../judges/invariants/snapshot";

export interface Previews {
  /** What applying the object would do now. Throws where that is refused. */
  of(object: unknown): Promise<Plan>;
  close(): Promise<void>;
}

/** For a cluster in which the operator runs. This process gets the cluster's PATH and KUBECONFIG. */
export async function openPreviews({
  kubectl,
  environment,
}: Pick<PlatformCluster, "kubectl" | "environment">): Promise<Previews> {
  Object.assign(process.env, environment);
  const config = new KubeConfig();
  config.loadFromFile(environment["KUBECONFIG"] ?? "");
  const access = accessOf(config);
  // what is read of the cluster is remembered: each preview begins without a memory, as a process of its own does
  const withCluster = async <T>(work: (cluster: OpenCluster) => Promise<T>): Promise<T> => {
    const cluster = await openCluster(access, operatorNamespace);
    return work(cluster).finally(() => cluster.close());
  };
  const stacks = await withCluster(({ passphrase }) => openPreviewer("auto", passphrase, new AbortController().signal));
  return {
    async of(object) {
      const asked = await kubectl.input(object, "apply", "--dry-run=server", "-o", "json", "-f", "-");
      const plan = await withCluster(async (cluster) => {
        const prepared = await prepareApply(JSON.parse(asked), cluster, { refresh: false });
        // asks the cluster, too, where something that is to be created is there
        return prepared.kind === "change" ? previewed(prepared, stacks) : prepared;
      });
      if (plan.kind !== "plan") throw new Error(`the preview is not one: ${JSON.stringify(plan)}`);
      return plan;
    },
    close: () => stacks.close(),
  };
}
