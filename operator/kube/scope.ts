// Where the operator looks: in all namespaces at once, or in some, each for itself.
import { isApiError, type KubeClient } from "./client";
import { namespacePath } from "./paths";

/** How long an answer to whether a namespace exists counts, in milliseconds: many ask at the same time. */
const knownForMs = 1000;

/** One namespace that is watched, or all of them together. */
export interface Scope {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Whether the namespace exists; undefined where there is nothing to ask. */
  readonly exists: (() => Promise<boolean>) | undefined;
  /** Resolves once the API server has refused something in this namespace: it must not keep the others waiting. */
  readonly refused: Promise<undefined>;
  /** Notified of every request that did not succeed. */
  readonly problem: (cause: unknown) => void;
}

/** `onAbsent` is called once when a namespace turns out not to exist, and again after it has come and gone. */
export function scopesOf(
  client: KubeClient,
  namespaces: readonly string[],
  onAbsent: (namespace: string) => void,
): readonly [Scope, ...Scope[]] {
  const [first, ...others] = namespaces;
  if (first === undefined) return [everywhere()];
  const scopeOf = (namespace: string): Scope => oneNamespace(client, namespace, onAbsent);
  return [scopeOf(first), ...others.map(scopeOf)];
}

const everywhere = (): Scope => ({
  namespace: undefined,
  exists: undefined,
  refused: new Promise(() => undefined),
  problem: () => undefined,
});

function oneNamespace(client: KubeClient, namespace: string, onAbsent: (namespace: string) => void): Scope {
  const refused = Promise.withResolvers<undefined>();
  let asked: { readonly answer: Promise<boolean>; readonly until: number } | undefined;
  let wasAbsent = false;
  const ask = async (): Promise<boolean> => {
    const found = await client.find(namespacePath(namespace));
    const isAbsent = found === undefined;
    if (isAbsent && !wasAbsent) onAbsent(namespace);
    wasAbsent = isAbsent;
    return !isAbsent;
  };
  return {
    namespace,
    exists() {
      if (asked === undefined || Date.now() >= asked.until) {
        asked = { answer: ask(), until: Date.now() + knownForMs };
        asked.answer.catch(() => (asked = undefined));
      }
      return asked.answer;
    },
    refused: refused.promise,
    problem(cause) {
      if (isApiError(cause, 403)) refused.resolve(undefined);
    },
  };
}
