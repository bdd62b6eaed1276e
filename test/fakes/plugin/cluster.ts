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

export interface FakeCluster {
  readonly objects: readonly Stored[];
  /** Plurals that may not be read. */
  readonly forbidden?: readonly string[];
  /** Namespaces that may be read; undefined: all. */
  readonly onlyIn?: readonly string[];
  /** Plurals that the cluster does not have. */
  readonly unknown?: readonly string[];
  /** Verbs on Databases that the person does not have, beside those on `forbidden` plurals. */
  readonly withoutVerbs?: readonly string[];
  /** Takes a patch, or throws as the API server refuses it. */
  readonly patched?: (path: string, body: unknown) => unknown;
  /** The status of a preview; where there is none, previews are not served. */
  readonly preview?: (body: unknown) => unknown;
  /** What a watch tells. */
  readonly turns?: readonly { readonly type: string; readonly object: unknown }[];
}

const kinds: Readonly<Record<string, string>> = {
  databases: "Database",
  databasebackups: "DatabaseBackup",
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
function checked({ plural, namespace }: Asked, { forbidden = [], unknown = [], onlyIn }: FakeCluster): void {
  if (unknown.includes(plural) || !Object.hasOwn(kinds, plural))
    throw new ApiFailure(404, "NotFound", "the server could not find the requested resource");
  if (forbidden.includes(plural) || (onlyIn !== undefined && !onlyIn.some((one) => one === namespace)))
    throw new ApiFailure(403, "Forbidden", `User "jane" cannot list ${plural} in namespace ${namespace ?? "(all)"}`);
}

function matches({ metadata }: Stored, { labelSelector, fieldSelector }: Query): boolean {
  const labels = (labelSelector ?? "").split(",").filter((pair) => pair !== "");
  const hasLabels = labels.every((pair) => metadata.labels?.[pair.split("=")[0] ?? ""] === pair.split("=")[1]);
  return hasLabels && (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`);
}

const refusing = (): never => {
  throw new ApiFailure(403, "Forbidden", 'User "jane" cannot patch resource "databases"');
};

const Review = z.object({ spec: z.object({ resourceAttributes: z.object({ verb: z.string() }) }) });

/** What is asked for by a creation, and stored nowhere. */
function created(path: string, body: unknown, { preview, withoutVerbs = [] }: FakeCluster): unknown {
  if (path.endsWith("/selfsubjectreviews")) return { status: { userInfo: { username: "jane" } } };
  if (path.endsWith("/selfsubjectaccessreviews")) {
    const { verb } = Review.parse(body).spec.resourceAttributes;
    return { status: { allowed: !withoutVerbs.includes(verb) } };
  }
  const status = preview?.(body);
  if (status !== undefined) return { status };
  throw new ApiFailure(404, "NotFound", "the server could not find the requested resource");
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
    if (asked.name === undefined)
      return { metadata: { resourceVersion: "900" }, items: found(asked).filter((one) => matches(one, query)) };
    const object = found(asked).find(({ metadata }) => metadata.name === asked.name);
    if (object !== undefined) return object;
    throw new ApiFailure(404, "NotFound", `${asked.plural}.example.com "${asked.name}" not found`);
  };
  return {
    namespace: "shop",
    user: "jane",
    get: (path, query) => Promise.resolve().then(() => get(path, query)),
    create: (path, body) => Promise.resolve().then(() => created(path, body, fake)),
    patch: (path, body) =>
      Promise.resolve().then(() => {
        checked(askedBy(path), fake);
        return (fake.patched ?? refusing)(path, body);
      }),
    async *watch(_path, _query, signal) {
      for (const turn of fake.turns ?? []) yield await Promise.resolve(turn);
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    },
  };
}
