// An API server for the plugin: objects by path, rights that are missing, and an operator that previews.
import { z } from "zod";
import { ApiFailure, type Cluster, type Query } from "../../../plugin/command/world";

/** An object with what the API server needs to find it. */
export interface Stored {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [more: string]: unknown;
  };
  readonly [more: string]: unknown;
}

/** The same with other fields in its spec. */
export const withSpec = <Object extends Stored>(stored: Object, fields: object): Object => ({
  ...stored,
  spec: { ...z.looseObject({}).parse(stored["spec"]), ...fields },
});

export interface FakeCluster {
  readonly objects: readonly Stored[];
  /** Plurals that may not be read. */
  readonly forbidden?: readonly string[];
  /** Namespaces that may be read; undefined: all. */
  readonly onlyIn?: readonly string[];
  /** As the API server knows them. Default: jane. */
  readonly user?: string;
  /** Plurals that the cluster does not have. */
  readonly unknown?: readonly string[];
  /** Verbs on Databases that the person does not have, beside those on `forbidden` plurals. */
  readonly withoutVerbs?: readonly string[];
  /** The status of a preview; where there is none, previews are not served. */
  readonly preview?: (body: unknown) => unknown;
  /** Throws as the API server refuses a patch. */
  readonly patched?: (body: unknown, query: Query) => void;
  /** Hears what is created and stored. */
  readonly created?: (body: unknown) => void;
  /** Whether it is older than selectable fields. Default: it is not. */
  readonly isOld?: boolean;
  /** What a watch tells. */
  readonly turns?: readonly { readonly type: string; readonly object: unknown }[];
}

const kinds: Readonly<Record<string, string>> = {
  databases: "Database",
  databasebackups: "DatabaseBackup",
  databaserevisions: "DatabaseRevision",
  pods: "Pod",
  events: "Event",
  namespaces: "Namespace",
};

interface Asked {
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

function askedBy(path: string): Asked {
  const [, namespace, plural = "", name] =
    /^\/apis?(?:\/[^/]+)?\/v1(?:alpha1)?(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  return { plural, namespace, name };
}

/** Throws as the API server refuses. */
function checked(
  { plural, namespace }: Asked,
  { forbidden = [], unknown = [], user = "jane", onlyIn }: FakeCluster,
): void {
  if (unknown.includes(plural) || !Object.hasOwn(kinds, plural))
    throw new ApiFailure(404, "NotFound", "the server could not find the requested resource");
  if (forbidden.includes(plural) || (onlyIn !== undefined && !onlyIn.some((one) => one === namespace)))
    throw new ApiFailure(
      403,
      "Forbidden",
      `${plural} is forbidden: User "${user}" cannot list resource "${plural}" in namespace "${namespace ?? ""}"`,
    );
}

const Owned = z.object({ database: z.string() });

function matches({ metadata, ...object }: Stored, { labelSelector, fieldSelector }: Query): boolean {
  const database = Owned.safeParse(object["spec"]).data?.database;
  const labels = (labelSelector ?? "").split(",").filter((pair) => pair !== "");
  const hasLabels = labels.every((pair) => metadata.labels?.[pair.split("=")[0] ?? ""] === pair.split("=")[1]);
  const fields = [`metadata.name=${metadata.name}`, ...(database === undefined ? [] : [`spec.database=${database}`])];
  return hasLabels && (fieldSelector === undefined || fields.includes(fieldSelector));
}

const Review = z.object({ spec: z.object({ resourceAttributes: z.object({ verb: z.string() }) }) });

function stored(
  plural: string,
  body: unknown,
  { withoutVerbs = [], user = "jane", created: hears }: FakeCluster,
): unknown {
  if (withoutVerbs.includes("create"))
    throw new ApiFailure(403, "Forbidden", `${plural} is forbidden: User "${user}" cannot create resource "${plural}"`);
  hears?.(body);
  return body;
}

/** What is asked for by a creation, and stored nowhere but where it is an object of the cluster's. */
function created(path: string, body: unknown, fake: FakeCluster): unknown {
  const { preview, withoutVerbs = [], user = "jane" } = fake;
  if (path.endsWith("/selfsubjectreviews")) return { status: { userInfo: { username: user } } };
  if (path.endsWith("/selfsubjectaccessreviews")) {
    const { verb } = Review.parse(body).spec.resourceAttributes;
    return { status: { allowed: !withoutVerbs.includes(verb) } };
  }
  const { plural } = askedBy(path);
  if (Object.hasOwn(kinds, plural)) return stored(plural, body, fake);
  const status = preview?.(body);
  if (status !== undefined) return { status };
  throw new ApiFailure(404, "NotFound", "the server could not find the requested resource");
}

function patchable({ withoutVerbs = [], user = "jane" }: FakeCluster): void {
  if (!withoutVerbs.includes("patch")) return;
  throw new ApiFailure(403, "Forbidden", `databases is forbidden: User "${user}" cannot patch resource "databases"`);
}

const Named = z.object({ metadata: z.object({ name: z.string() }) });

function isOf(object: unknown, fieldSelector: string | undefined): boolean {
  const name = Named.safeParse(object).data?.metadata.name;
  return name === undefined || fieldSelector === undefined || fieldSelector === `metadata.name=${name}`;
}

/** See the header. The namespace of its context is `shop`. */
export function fakeCluster(fake: FakeCluster): Cluster {
  const found = (asked: Asked): Stored[] =>
    fake.objects.filter(
      ({ kind, metadata }) =>
        kind === kinds[asked.plural] && (asked.namespace === undefined || metadata.namespace === asked.namespace),
    );
  const get = (path: string, query: Query = {}): unknown => {
    const asked = askedBy(path);
    checked(asked, fake);
    if (fake.isOld === true && query["fieldSelector"]?.startsWith("spec.") === true)
      throw new ApiFailure(400, "BadRequest", "field label not supported: spec.database");
    if (asked.name === undefined)
      return { metadata: { resourceVersion: "900" }, items: found(asked).filter((one) => matches(one, query)) };
    const object = found(asked).find(({ metadata }) => metadata.name === asked.name);
    if (object !== undefined) return object;
    throw new ApiFailure(404, "NotFound", `${asked.plural}.example.com "${asked.name}" not found`);
  };
  return {
    namespace: "shop",
    context: "work",
    get: (path, query) => Promise.resolve().then(() => get(path, query)),
    create: (path, body) => Promise.resolve().then(() => created(path, body, fake)),
    patch: (path, body, query = {}) =>
      Promise.resolve().then(() => {
        const object = get(path);
        patchable(fake);
        fake.patched?.(body, query);
        return object;
      }),
    async *watch(_path, { fieldSelector }, signal) {
      for (const turn of fake.turns ?? []) if (isOf(turn.object, fieldSelector)) yield await Promise.resolve(turn);
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    },
  };
}
