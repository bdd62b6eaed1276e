// Companions in the cluster: their watches, which wait for custom resources that are not installed, and their writes.
import { apiVersionOf, type CompanionKind } from "../api/companions/kind";
import { companionFieldManager } from "../../components/naming";
import type { Key } from "../domain/key";
import {
  companionKeyOf,
  partsOf,
  type ApplyResult,
  type CompanionKey,
  type CompanionWrites,
} from "../companions/ports";
import { ApiError, isApiError, type KubeClient } from "./client";
import { GuardedWrites, meansGone } from "./guarded-writes";
import { item, resources, type Resource } from "./paths";
import type { Scope } from "./scope";
import { databaseResource } from "../../contract/resources";
import { ScopedReflector } from "./scoped-reflector";

/** Where a kind lives in the API. */
const resourceOf = (kind: CompanionKind): Resource => ({ prefix: `/apis/${apiVersionOf(kind)}`, plural: kind.plural });

export interface CompanionWatchOptions {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
  readonly kinds: readonly CompanionKind[];
  readonly onChange: (key: CompanionKey) => void;
  readonly onProblem: (kind: string, cause: unknown) => void;
}

/** The companions as the API server sent them. */
export class CompanionWatches {
  readonly #reflectors: ReadonlyMap<string, ScopedReflector<unknown>>;
  readonly #scopes: readonly Scope[];
  readonly #kinds: readonly CompanionKind[];

  constructor({ client, scopes, kinds, onChange, onProblem }: CompanionWatchOptions) {
    this.#scopes = scopes;
    this.#kinds = kinds;
    const reflect = (kind: CompanionKind): ScopedReflector<unknown> =>
      new ScopedReflector<unknown>({
        client,
        scopes,
        resource: resourceOf(kind),
        parse: (object) => object,
        onChange: (key) => {
          onChange(companionKeyOf(key, kind));
        },
        onProblem: (cause) => {
          onProblem(kind.plural, cause);
        },
      });
    this.#reflectors = new Map(kinds.map((kind) => [kind.plural, reflect(kind)]));
  }

  /** Begins, and waits for nothing: a kind that is not installed must not delay the operator. */
  start(): void {
    for (const reflector of this.#reflectors.values()) {
      for (const scope of this.#scopes) void reflector.start(scope);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  get(key: CompanionKey): unknown {
    const { database, plural } = partsOf(key);
    return this.#reflectors.get(plural)?.get(database);
  }

  /** The companions that have a Database's name, whatever owns it. */
  named(database: Key): CompanionKey[] {
    return this.#kinds.map((kind) => companionKeyOf(database, kind)).filter((key) => this.get(key) !== undefined);
  }

  /** Every companion. */
  keys(): CompanionKey[] {
    return this.#kinds.flatMap((kind) =>
      [...(this.#reflectors.get(kind.plural)?.keys() ?? [])].map((key) => companionKeyOf(key, kind)),
    );
  }
}

export function createCompanionWrites(client: KubeClient, kinds: readonly CompanionKind[]): CompanionWrites {
  const guards = new Map(kinds.map((kind) => [kind.plural, new GuardedWrites(client, resourceOf(kind))]));
  const pathOf = ({ namespace, name }: { namespace: string; name: string }): string =>
    item(resources.databases, namespace, name);
  return {
    find: (place) => client.find(pathOf(place)),
    async apply(body) {
      // where none was seen, one that another client creates at the same time must not be overwritten
      const manner = { as: companionFieldManager, force: body.metadata.uid !== undefined };
      try {
        return { kind: "done", database: await client.apply(pathOf(body.metadata), body, manner) };
      } catch (error) {
        return refusalIn(error);
      }
    },
    async writeStatus(kind, metadata, write) {
      const path = item(resourceOf(kind), metadata.namespace, metadata.name);
      return guards
        .get(kind.plural)
        ?.writeStatus(metadata, write, ({ name, namespace, uid, resourceVersion }, status) =>
          client.apply(`${path}/status`, {
            apiVersion: apiVersionOf(kind),
            kind: kind.kind,
            metadata: { name, namespace, uid, resourceVersion },
            status,
          }),
        );
    },
    forget(kind, place) {
      guards.get(kind.plural)?.forget(place);
    },
  };
}

/** Rejects for what says nothing about the Database. */
function refusalIn(error: unknown): ApplyResult {
  if (isApiError(error, 409)) return { kind: "contended" };
  if (isApiError(error, 403) && meansGone(error)) return { kind: "gone" };
  if (error instanceof ApiError && [400, 403, 422].includes(error.status))
    return { kind: "refused", message: error.message, lasting: isAgainstTheSchema(error) };
  throw error;
}

/** Webhooks and policies refuse with the same codes, by what is elsewhere in the cluster and may change. */
const isAgainstTheSchema = ({ status, message }: ApiError): boolean =>
  status === 422 && new RegExp(`^${databaseResource.kind}\\.${databaseResource.group} ".*" is invalid: `).test(message);
