// What verbs read, and what is said where it cannot be read.
import { z } from "zod";
import { invocation } from "../command/name";
import { nearTo } from "../command/near";
import { Trouble } from "../command/trouble";
import { ApiFailure, isFailure, type Cluster, type Query } from "../command/world";
import { collectionOf, itemOf, kinds, type Kind } from "./paths";

const List = z.object({ items: z.array(z.unknown()).nullish() });
const Named = z.object({ metadata: z.object({ name: z.string() }) });

/** Something of one namespace, or of all of them. */
export interface Place {
  readonly namespace: string | undefined;
  readonly query?: Query;
}

/** All objects of a kind. Throws a Trouble that says what is missing. */
export async function listed(cluster: Cluster, kind: Kind, { namespace, query = {} }: Place): Promise<unknown[]> {
  try {
    return List.parse(await cluster.get(collectionOf(kind, namespace), query)).items ?? [];
  } catch (error) {
    throw explained(error, { kind, namespace, verb: "list" });
  }
}

/** Objects that are left out of the answer where they may not be read, with a line that says so. */
export interface Partly {
  readonly items: readonly unknown[];
  /** What is not shown, and why. */
  readonly missing: string | undefined;
}

/** The same of what is shown beside the Database. */
export async function listedIfAllowed(cluster: Cluster, kind: Kind, place: Place): Promise<Partly> {
  try {
    const list = List.parse(await cluster.get(collectionOf(kind, place.namespace), place.query ?? {}));
    return { items: list.items ?? [], missing: undefined };
  } catch (error) {
    if (!isFailure(error, 403) && !isFailure(error, 404)) throw error;
    const why = isFailure(error, 404) ? "the cluster does not have that kind" : `you may not list ${kind.right}`;
    return { items: [], missing: `${kind.plural}: ${why} in namespace ${place.namespace ?? "any"}` };
  }
}

/** A Database. Throws a Trouble where there is none: it names those that are called nearly so. */
export async function databaseNamed(cluster: Cluster, namespace: string, name: string): Promise<unknown> {
  const found = await databaseIfAny(cluster, namespace, name);
  if (found === undefined) throw await noSuch(cluster, namespace, name);
  return found;
}

/** The same; undefined where there is none. */
export async function databaseIfAny(
  cluster: Cluster,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    return await cluster.get(itemOf(kinds.databases, namespace, name), {}, signal);
  } catch (error) {
    // without the custom resource there is no reason
    if (error instanceof ApiFailure && error.status === 404 && error.reason === "NotFound") {
      if (!isWithoutKind(error)) return undefined;
    }
    throw explained(error, { kind: kinds.databases, namespace, verb: "get" });
  }
}

/** That of a missing object names it; that of a missing kind says "the server could not find the requested resource". */
export const isWithoutKind = ({ message }: Pick<ApiFailure, "message">): boolean =>
  /could not find the requested resource|page not found/.test(message);

/** What is said where a Database of this name does not exist. */
export async function noSuch(cluster: Cluster, namespace: string, name: string): Promise<Trouble> {
  const there = await namesIn(cluster, namespace);
  const near = nearTo(name, there);
  const message = `there is no Database "${name}" in namespace ${namespace}`;
  if (near.length > 0) return new Trouble(message, [`did you mean ${near.join(" or ")}?`]);
  const elsewhere = await namespacesOf(cluster, name);
  if (elsewhere.length > 0)
    return new Trouble(message, [`there is one in ${elsewhere.join(", ")}: -n ${elsewhere[0] ?? ""}`]);
  const some = there.slice(0, 5).join(", ");
  const hint = some === "" ? `the namespace has none: ${invocation} status -A` : `the namespace has ${some}`;
  return new Trouble(message, [hint]);
}

async function namesIn(cluster: Cluster, namespace: string): Promise<string[]> {
  const { items } = await listedIfAllowed(cluster, kinds.databases, { namespace });
  return items.flatMap((item) => Named.safeParse(item).data?.metadata.name ?? []);
}

const Placed = z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) });

async function namespacesOf(cluster: Cluster, name: string): Promise<string[]> {
  const query = { fieldSelector: `metadata.name=${name}` };
  const { items } = await listedIfAllowed(cluster, kinds.databases, { namespace: undefined, query });
  return items.flatMap((item) => {
    const { data } = Placed.safeParse(item);
    return data?.metadata.name === name ? [data.metadata.namespace] : [];
  });
}

interface Attempt {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly verb: string;
}

/** In words that say which right, or what else, is missing. */
export function explained(error: unknown, attempt: Attempt): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const { kind, namespace, verb } = attempt;
  const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
  switch (error.status) {
    case 401:
      return new Trouble(`the API server does not know you: ${error.message}`, ["kubectl auth whoami"]);
    case 403:
      return new Trouble(`you may not ${verb} ${kind.right} ${where}`, rightsFor(error, attempt));
    case 404:
      return new Trouble(`the cluster does not have ${kind.right}`, [
        "is this the right cluster? --context names another one",
        "an administrator installs them: docs/platform/install.md",
      ]);
    default:
      return error;
  }
}

function rightsFor({ message }: ApiFailure, { namespace, verb }: Attempt): string[] {
  if (namespace === undefined) return ["without -A it shows one namespace: -n NAMESPACE"];
  const role = verb === "patch" || verb === "create" ? "edit" : "view";
  return [
    `the role ${role} is enough; an administrator grants it:`,
    `kubectl create rolebinding ${role}-databases --clusterrole=${role} --user=${userIn(message)} -n ${namespace}`,
  ];
}

/** By the name that the API server knows them by, for a shell: the kubeconfig has another. */
function userIn(message: string): string {
  const [, name = "USER"] = /\bUser "((?:[^"\\]|\\.)+)" cannot /.exec(message) ?? [];
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
