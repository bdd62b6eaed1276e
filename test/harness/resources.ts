// Which resource of the API a person means by `pod`, `pvc`, `db`, `StatefulSet` or `databases.v1beta1.example.com`.
import { z } from "zod";
import { ApiError, type KubernetesApi } from "../../tools/cluster/api";

/** A resource in the version that its group prefers. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** As in paths. */
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** A resource with the words by which it is known. */
interface Known extends Resource {
  readonly group: string;
  readonly version: string;
  readonly words: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

const names = z.array(z.string()).default([]);
const Groups = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().default("") }).prefault({}),
      versions: z.array(
        z.object({
          version: z.string(),
          resources: z
            .array(
              z.object({
                resource: z.string(),
                responseKind: z.object({ kind: z.string() }),
                scope: z.enum(["Namespaced", "Cluster"]),
                singularResource: z.string().default(""),
                verbs: names,
                shortNames: names,
                categories: names,
              }),
            )
            .default([]),
        }),
      ),
    }),
  ),
});

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** See the header; by the API's discovery, which is asked for again where a word is not known: custom resources come and go. */
export class Resources {
  readonly #api: KubernetesApi;
  #known: Promise<readonly Known[]> | undefined;

  constructor(api: KubernetesApi) {
    this.#api = api;
  }

  /** What comma-separated words mean, each once, in their order. Throws where there is no such thing. */
  async of(words: string): Promise<readonly [Resource, ...Resource[]]> {
    const each = words.split(",");
    const found = await this.#find(each);
    if (found !== undefined) return found;
    this.forget();
    const anew = await this.#find(each);
    if (anew === undefined) throw new Error(`the server doesn't have a resource type among "${words}"`);
    return anew;
  }

  /** The next word is looked up again. */
  forget(): void {
    this.#known = undefined;
  }

  async #find(words: readonly string[]): Promise<readonly [Known, ...Known[]] | undefined> {
    this.#known ??= this.#discover();
    const known = await this.#known.catch((error: unknown) => {
      this.forget();
      throw error;
    });
    const found = words.map((word) => meaningOf(word.toLowerCase(), known));
    const [first, ...others] = new Set(found.flat());
    return first === undefined || found.some(({ length }) => length === 0) ? undefined : [first, ...others];
  }

  async #discover(): Promise<readonly Known[]> {
    const roots = ["/api", "/apis"].map((path) => this.#api.request("GET", path, undefined, aggregated));
    return (await Promise.all(roots)).flatMap((root) => Groups.parse(root).items.flatMap(resourcesOf));
  }
}

/** Whether an error says that there is no such resource any more, unlike one that says that there is no such object. */
export const isUnknownResource = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.reason !== "NotFound";

function resourcesOf({ metadata: { name: group }, versions }: z.infer<typeof Groups>["items"][number]): Known[] {
  return versions.flatMap(({ version, resources }) =>
    resources
      .filter(({ verbs }) => verbs.includes("list"))
      .map(({ resource, responseKind, scope, singularResource, shortNames, categories }) => ({
        group,
        version,
        apiVersion: group === "" ? version : `${group}/${version}`,
        kind: responseKind.kind,
        plural: resource,
        isNamespaced: scope === "Namespaced",
        words: [resource, singularResource, responseKind.kind.toLowerCase()],
        shortNames,
        categories,
      })),
  );
}

/** All of a category, or the first of which it is a name: before its short names. Groups and versions are in the order of preference. */
function meaningOf(word: string, known: readonly Known[]): readonly Known[] {
  const [name = "", ...rest] = word.split(".");
  const qualifier = rest.join(".");
  const isMeant = ({ group, version }: Known): boolean =>
    qualifier === "" || qualifier === group || qualifier === `${version}.${group}`;
  const candidates = known.filter(isMeant);
  const named = candidates.find(({ words }) => words.includes(name));
  const short = candidates.find(({ shortNames }) => shortNames.includes(name));
  const first = named ?? short;
  return first === undefined ? onceEach(known.filter(({ categories }) => categories.includes(name))) : [first];
}

/** Without the versions of a resource after the first. */
function onceEach(known: readonly Known[]): Known[] {
  const isFirst = (one: Known): boolean =>
    one === known.find(({ group, plural }) => group === one.group && plural === one.plural);
  return known.filter(isFirst);
}
