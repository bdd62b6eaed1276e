// Reads objects of a cluster in this process, by the words that kubectl takes: a kubectl of its own for each read costs a tenth
// of a second of CPU.
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ApiError, openApi, type KubernetesApi } from "../../tools/cluster/api";
import { isUnknownResource, Resources, type Resource } from "./resources";

/** One object. */
export interface ObjectPlace {
  /** In any word that kubectl takes. */
  readonly kind: string;
  readonly name: string;
  /** Of no meaning where the kind has none. */
  readonly namespace: string;
}

/** Which objects of a kind. */
export interface Selection {
  /** Default: all. Objects of kinds that have none are listed whatever it is. */
  readonly namespace?: string | undefined;
  /** By labels, as kubectl's `-l`. */
  readonly selector?: string | undefined;
  /** By fields, as kubectl's `--field-selector`. */
  readonly fields?: string | undefined;
  /** Whether `metadata.managedFields` are kept. Default: no, as with kubectl. */
  readonly managedFields?: boolean | undefined;
}

const Metadata = z.looseObject({ name: z.string() });
const Item = z.looseObject({ metadata: Metadata });
/** An object of any kind. */
export type Listed = z.infer<typeof Item> & { readonly apiVersion: string; readonly kind: string };

const List = z.object({ metadata: z.object({ resourceVersion: z.string() }), items: z.array(Item).nullable() });
const WatchEvent = z.object({ type: z.string(), object: z.unknown() });
const Failure = z.object({ message: z.string().default("") });

/** In milliseconds; where the machine is busy, an answer may take long. */
const timeoutMs = 30_000;

/** See the header. What it asks for throws as long as the API server is away: who expects that asks again (`eventually`). */
export class Reader {
  readonly #kubeconfig: string;
  #opened: Promise<{ readonly api: KubernetesApi; readonly resources: Resources }> | undefined;

  /** `environment` may carry KUBECONFIG; else it is this process's, or the person's. It is read when it is first needed. */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const { KUBECONFIG = process.env["KUBECONFIG"] } = environment;
    this.#kubeconfig = KUBECONFIG ?? join(homedir(), ".kube", "config");
  }

  /** The object; undefined where there is none. Throws where there is no such kind. */
  async find({ kind, name, namespace }: ObjectPlace): Promise<unknown> {
    return this.#about(kind, async (api, [resource]) => {
      const path = `${pathOf(resource, namespace)}/${encodeURIComponent(name)}`;
      const found = await api.request("GET", path).catch((error: unknown) => {
        if (error instanceof ApiError && error.reason === "NotFound") return undefined;
        throw error;
      });
      return found === undefined ? undefined : shown(Item.parse(found), resource);
    });
  }

  /** Objects of one or more comma-separated kinds, each with its apiVersion and kind. */
  async list(kinds: string, { namespace, selector, fields, managedFields }: Selection = {}): Promise<Listed[]> {
    const query = queryOf({ labelSelector: selector, fieldSelector: fields });
    return this.#about(kinds, async (api, resources) => {
      const lists = await Promise.all(
        resources.map(async (resource) => {
          const { items } = List.parse(await api.request("GET", `${pathOf(resource, namespace)}${query}`));
          return (items ?? []).map((item) => shown(item, resource, managedFields));
        }),
      );
      return lists.flat();
    });
  }

  /**
   * The object as it is, and then each later version as it comes; undefined where there is none. Ends when the API server ends
   * the watch; throws where it breaks or has expired, and when `signal` is aborted.
   */
  async *follow({ kind, name, namespace }: ObjectPlace, signal: AbortSignal): AsyncGenerator<unknown, void> {
    const selection = { fieldSelector: `metadata.name=${name}` };
    const { api, resource, list } = await this.#about(kind, async (api, [resource]) => {
      const path = `${pathOf(resource, namespace)}${queryOf(selection)}`;
      return { api, resource, list: List.parse(await api.request("GET", path)) };
    });
    const [present] = list.items ?? [];
    yield present === undefined ? undefined : shown(present, resource);
    const query = queryOf({ ...selection, watch: "true", resourceVersion: list.metadata.resourceVersion });
    for await (const event of api.watch(`${pathOf(resource, namespace)}${query}`, signal)) {
      const { type, object } = WatchEvent.parse(event);
      if (type === "ERROR") throw new Error(`the watch has ended: ${Failure.parse(object).message}`);
      yield type === "DELETED" ? undefined : shown(Item.parse(object), resource);
    }
  }

  /** A JSON patch that the API server only judges: whether it would accept it, from this field manager. */
  async wouldAccept(
    { kind, name, namespace }: ObjectPlace,
    patch: readonly unknown[],
    manager: string,
  ): Promise<boolean> {
    return this.#about(kind, async (api, [resource]) => {
      const query = queryOf({ dryRun: "All", fieldManager: manager });
      const path = `${pathOf(resource, namespace)}/${encodeURIComponent(name)}${query}`;
      return api.request("PATCH", path, patch).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError && error.status < 500 && error.status !== 429) return false;
          throw error;
        },
      );
    });
  }

  /** With what the words mean; once more where that is no longer so. */
  async #about<T>(
    kinds: string,
    work: (api: KubernetesApi, resources: readonly [Resource, ...Resource[]]) => Promise<T>,
  ): Promise<T> {
    this.#opened ??= openApi(this.#kubeconfig, { timeoutMs }).then((api) => ({ api, resources: new Resources(api) }));
    const { api, resources } = await this.#opened.catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    const attempt = async (): Promise<T> => work(api, await resources.of(kinds));
    return attempt().catch((error: unknown) => {
      if (!isUnknownResource(error)) throw error;
      resources.forget();
      return attempt();
    });
  }
}

function pathOf({ apiVersion, plural, isNamespaced }: Resource, namespace: string | undefined): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced && namespace !== undefined ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** As kubectl shows it: items of a list come without their kind. */
function shown(item: z.infer<typeof Item>, { apiVersion, kind }: Resource, managedFields = false): Listed {
  if (!managedFields) delete item.metadata["managedFields"];
  return { ...item, apiVersion, kind };
}
