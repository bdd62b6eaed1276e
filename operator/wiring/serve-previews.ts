// The aggregated API of previews over the real cluster.
import type { Logger } from "pino";
import { z } from "zod";
import { apiServerAuthentication } from "../../contract/platform";
import type { Config } from "../config";
import { createAccessReviews } from "../kube/access-reviews";
import type { KubeClient } from "../kube/client";
import { judgeByApi } from "../kube/database-judgement";
import { collection, item, resources } from "../kube/paths";
import { Reflector } from "../kube/reflector";
import { reportOf } from "../preview/report";
import type { Previewed } from "../preview/plan";
import type { ResidentPreviews } from "../preview/resident";
import { previewApi, type PreviewApi } from "../preview-api/api";
import { frontProxyOf, type FrontProxy } from "../preview-api/front-proxy";
import { PreviewFailure } from "../preview-api/failure";
import type { Question } from "../preview-api/question";

export interface ServedPreviews {
  readonly api: PreviewApi;
  /** Begins to look by what the API server is known, and hands on the authorities of its certificate. */
  start(trust: (bundle: string) => void): void;
  stop(): Promise<void>;
}

export interface ServedOptions {
  /** Reads, and asks whether a person may: on connections of its own. */
  readonly client: KubeClient;
  readonly previews: ResidentPreviews;
  readonly config: Pick<Config, "watchNamespaces">;
  /** Aborted when this process is to end. */
  readonly ending: AbortSignal;
  readonly log: Logger;
}

const ConfigMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

export function servePreviews({ client, previews, config, ending, log }: ServedOptions): ServedPreviews {
  const { namespace, configMap } = apiServerAuthentication;
  const { watchNamespaces } = config;
  let trust: (bundle: string) => void = () => undefined;
  const proxy = new Reflector<FrontProxy>({
    client,
    path: collection(resources.configMaps, namespace),
    fieldSelector: `metadata.name=${configMap}`,
    parse: (object) => frontProxyOf(ConfigMap.parse(object).data),
    onChange: (_key, found) => {
      if (found !== undefined) trust(found.bundle);
    },
    onProblem: (err) => {
      log.warn({ err }, "it is not known by what the API server can be told: no previews are served");
    },
  });
  const api = previewApi({
    frontProxy: () => proxy.get(`${namespace}/${configMap}`),
    watches: (asked) => watchNamespaces.length === 0 || watchNamespaces.includes(asked),
    allows: createAccessReviews(client),
    exists: async (place) => (await client.find(item(resources.databases, place.namespace, place.name))) !== undefined,
    preview: async (question, signal) => {
      try {
        return reportOf(await answerTo(question, signal, { client, previews }));
      } catch (error) {
        if (ending.aborted) throw new PreviewFailure("ServiceUnavailable", "the operator ends: try again", 2);
        throw error;
      }
    },
    onError: (path, error) => {
      log.warn({ path, err: error }, "preview not answered");
    },
  });
  return {
    api,
    start(given) {
      trust = given;
      void proxy.start();
    },
    stop: () => proxy.stop(),
  };
}

async function answerTo(
  { namespace, name, operation, database, assumed }: Question,
  signal: AbortSignal,
  { client, previews }: Pick<ServedOptions, "client" | "previews">,
): Promise<Previewed> {
  if (operation === "Delete") {
    const object = await client.find(item(resources.databases, namespace, name));
    if (object === undefined)
      return { kind: "skipped", message: `there is no Database ${name}: nothing would be deleted` };
    return previews({ object, remove: true, signal });
  }
  const judged = await judgeByApi(database, { namespace, name }, client);
  if (judged.kind === "refused") return { kind: "rejected", database: `${namespace}/${name}`, message: judged.message };
  return previews({ object: judged.object, remove: false, assumed, signal });
}
