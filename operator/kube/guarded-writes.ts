// Writes to Databases and their companions with the version as a precondition, which spares a read before each: the
// operator is nearly always the last one who wrote.
import { metadataOf, type DatabaseMetadata } from "../api/object";
import { statusOf } from "../api/stored-status";
import type { StatusWrite, WrittenStatus } from "../domain/status-write";
import { isOlder } from "../objects/resource-version";
import { isApiError, type KubeClient } from "./client";
import { item, resources, type Resource } from "./paths";

/** How often a write is repeated that another client's write came before. */
const maxConflicts = 5;

/** What a write has to know of the Database as it was last. */
export type Current = Pick<DatabaseMetadata, "name" | "namespace" | "uid" | "resourceVersion" | "finalizers">;

/** Path of a Database. */
export const pathOf = ({ namespace, name }: Pick<Current, "namespace" | "name">): string =>
  item(resources.databases, namespace, name);

/** See the header. */
export class GuardedWrites {
  readonly #versions = new VersionMemory();

  /** `resource` is the kind that is written to. */
  constructor(
    private readonly client: Pick<KubeClient, "find">,
    private readonly resource: Resource = resources.databases,
  ) {}

  /**
   * Calls `attempt` with the Database as it was last; a write of its must carry that version, and answer with the object.
   * Without the version, a successor of the same name would get the status of a Database that is gone, and the finalizer of
   * another client be undone. `found` is the whole object once it had to be read. Undefined where the Database is gone.
   */
  async write(
    copy: Current,
    attempt: (current: Current, found?: unknown) => Promise<unknown>,
  ): Promise<Current | undefined> {
    let current = this.#versions.latest(copy);
    let found: unknown;
    for (let conflicts = 0; ; conflicts++) {
      try {
        const written = metadataOf(await attempt(current, found));
        this.#versions.remember(written);
        return written;
      } catch (error) {
        if (meansGone(error)) return undefined;
        if (!isApiError(error, 409) || conflicts >= maxConflicts) throw error;
      }
      found = await this.client.find(item(this.resource, copy.namespace, copy.name));
      if (found === undefined) return undefined;
      current = metadataOf(found);
      if (current.uid !== copy.uid) return undefined;
    }
  }

  /**
   * Writes a status by `apply`. After a conflict it is computed again from the status that the object has: the conflict may come from an own write
   * whose answer was lost, and clients have seen the transition times of that one.
   */
  async writeStatus<Status>(
    copy: Current,
    { previous, statusAfter }: StatusWrite<Status>,
    apply: (current: Current, status: Status) => Promise<unknown>,
  ): Promise<WrittenStatus<Status> | undefined> {
    let status = statusAfter(previous);
    const written = await this.write(copy, (current, found) => {
      if (found !== undefined) status = statusAfter(statusOf(found));
      return apply(current, status);
    });
    return written && { version: written.resourceVersion, status };
  }

  /** To be called when the object is let go. */
  forget(metadata: Pick<Current, "namespace" | "name">): void {
    this.#versions.forget(metadata);
  }
}

/** Whether the answer means that the object is gone, or its namespace on its way out. */
export function meansGone(error: unknown): boolean {
  const isEnding = isApiError(error, 403) && error instanceof Error && error.message.includes("being terminated");
  return isEnding || isApiError(error, 404);
}

/** The versions that our own writes produced, for as long as the watch's copies are older than that. */
class VersionMemory {
  readonly #written = new Map<string, Current>();

  /** The newer one of the copy and what was written. */
  latest(copy: Current): Current {
    const written = this.#written.get(keyOf(copy));
    if (written?.uid !== copy.uid) return copy;
    if (isOlder(copy.resourceVersion, written.resourceVersion)) return written;
    this.#written.delete(keyOf(copy));
    return copy;
  }

  remember({ name, namespace, uid, resourceVersion, finalizers }: Current): void {
    this.#written.set(keyOf({ name, namespace }), { name, namespace, uid, resourceVersion, finalizers });
  }

  forget(metadata: Pick<Current, "namespace" | "name">): void {
    this.#written.delete(keyOf(metadata));
  }
}

const keyOf = ({ namespace, name }: Pick<Current, "namespace" | "name">): string => `${namespace}/${name}`;
