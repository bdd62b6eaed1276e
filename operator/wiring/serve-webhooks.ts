// The webhooks over the real cluster: every operator serves them, whether it leads or not.
import type { Logger } from "pino";
import { openWebhooks, type Webhooks } from "./webhooks";
import type { Config } from "../config";
import type { DatabaseProgram } from "../domain/desired";
import { fieldManager } from "../../components/naming";
import { KubeClient, type Access } from "../kube/client";
import { createConfigSource } from "../kube/config-source";
import { openPlacement } from "../kube/placement";
import { createSecretKeys } from "../kube/secret-keys";
import { createVolumes } from "../kube/volumes";
import type { LiveWorld } from "../kube/world";
import type { ResidentPreviews } from "../preview/resident";
import { servePreviews } from "./serve-previews";
import { tellConsequences } from "./tell-consequences";
import type { Term } from "./term";
import type { AutomationRunner } from "../stack/automation";
import { engines } from "../stack/engines";

/** What they are created from. */
export interface Reviewing {
  readonly access: Access;
  readonly common: KubeClient;
  /** For the reads of reviews alone: a client that asks much must not delay the lease. */
  readonly reader: KubeClient;
  readonly client: KubeClient;
  readonly term: Term;
  readonly world: LiveWorld;
  readonly stacks: Pick<AutomationRunner<DatabaseProgram>, "isResident">;
  readonly previews: ResidentPreviews;
  /** Aborted when this process is to end. */
  readonly signal: AbortSignal;
  readonly config: Config;
  readonly log: Logger;
}

/** See the header. Without a port nothing is served. */
export async function serveWebhooks(at: Reviewing): Promise<Webhooks> {
  const { access, common, reader, client, term, world, stacks, previews, config, signal: ending, log } = at;
  // what people ask for must not delay the reviews
  const asking = config.previewApi ? new KubeClient(access, fieldManager) : undefined;
  const webhooks = await openWebhooks({
    port: config.webhookPort,
    clientAuthority: config.webhookClientAuthority,
    namespace: config.namespace,
    common,
    client,
    isLeading: () => term.isLeading,
    reads: {
      catalogue: () => (world.synced ? world.catalogue : undefined),
      engines,
      configSource: createConfigSource(reader),
      volumes: createVolumes(reader),
      placement: openPlacement(reader, config),
      secretKeys: createSecretKeys(reader),
      database: (key) => world.database(key),
      ...(config.warningsSeconds > 0 && {
        consequences: {
          tell: tellConsequences(previews, { isQuick: () => stacks.isResident }),
          withinMs: config.warningsSeconds * 1000,
        },
      }),
    },
    ...(asking && { previews: servePreviews({ client: asking, previews, config, ending, log }) }),
    log,
  });
  return {
    ...webhooks,
    close: async () => {
      await webhooks.close();
      await asking?.close();
    },
  };
}
