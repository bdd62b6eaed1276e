// What the console asks of the API server, and nothing else, whatever a route may come to do: no Secrets, no logs, nothing in pods.
import { ApiFailure, type Cluster } from "../../command/world";
import { collectionOf, kinds, type Kind } from "../../cluster/paths";

const readable: readonly Kind[] = [
  ...[kinds.databases, kinds.backups, kinds.revisions],
  ...[kinds.pods, kinds.events, kinds.namespaces],
];
const creatable: readonly Kind[] = [kinds.previews, kinds.reviews, kinds.accessReviews];

/** Of a collection or one object, in a namespace or of all; subresources are none of them. */
function isOf(kind: Kind, path: string): boolean {
  const [inAll, ofOne] = [collectionOf(kind), collectionOf(kind, "*").replace(/\*.*$/, "")];
  if (path === inAll) return true;
  const [, rest] = path.startsWith(ofOne) ? [ofOne, path.slice(ofOne.length)] : [];
  return rest !== undefined && new RegExp(`^[^/]+/${kind.plural}(/[^/]+)?$`).test(rest);
}

/** Rejects, or throws in a watch, for every other path. */
export function guarded(cluster: Cluster): Cluster {
  const check = (path: string, allowed: readonly Kind[]): void => {
    if (!allowed.some((kind) => isOf(kind, path)))
      throw new ApiFailure(403, "Forbidden", `the console does not ask for ${path}`);
  };
  return {
    namespace: cluster.namespace,
    context: cluster.context,
    get: async (path, query, signal) => {
      check(path, readable);
      return cluster.get(path, query, signal);
    },
    create: async (path, body) => {
      check(path, creatable);
      return cluster.create(path, body);
    },
    patch: async (path, body, query) => {
      check(path, [kinds.databases]);
      return cluster.patch(path, body, query);
    },
    async *watch(path, query, signal) {
      check(path, readable);
      yield* cluster.watch(path, query, signal);
    },
  };
}
