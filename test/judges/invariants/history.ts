// Every version that each Database had, in the order in which they came: what was so only for a moment can still be asked for.
import { keyOf, type DatabaseView, type WatchedDatabase } from "./snapshot";

/** Whether a version is the one that is meant. */
export type IsMeant = (database: DatabaseView, event: WatchedDatabase) => boolean;

export interface Asked {
  /** Versions from before are left out; see `mark`. Default: from the beginning. */
  readonly since?: number;
  /** Default: 30 s. */
  readonly withinMs?: number;
}

/** See the header. */
export class History {
  readonly #watched: WatchedDatabase[] = [];
  readonly #waiting = new Set<() => void>();

  get watched(): readonly WatchedDatabase[] {
    return this.#watched;
  }

  add(event: WatchedDatabase): void {
    this.#watched.push(event);
    for (const look of this.#waiting) look();
  }

  /** A place in the history: what is known by now is before it. */
  mark(): number {
    return this.#watched.length;
  }

  /** The first version of `namespace/name` that is meant; undefined where there was none so far. */
  find(
    [namespace, name]: readonly [namespace: string, name: string],
    isMeant: IsMeant,
    since = 0,
  ): WatchedDatabase | undefined {
    const key = keyOf({ namespace, name });
    return this.#watched.slice(since).find((event) => keyOf(event.database) === key && isMeant(event.database, event));
  }

  /** Waits until there is or was a version that is meant. At the deadline the error lists those that there were. */
  async until(
    place: readonly [namespace: string, name: string],
    isMeant: IsMeant,
    { since = 0, withinMs = 30_000 }: Asked = {},
  ): Promise<WatchedDatabase> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const look = (): void => {
        const found = this.find(place, isMeant, since);
        if (found === undefined) return;
        end();
        resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        reject(
          new Error(
            `no such version of ${place.join("/")} within ${withinMs / 1000} s; there were:\n${this.#told(place, since)}`,
          ),
        );
      }, withinMs);
      this.#waiting.add(look);
      look();
    });
  }

  #told(place: readonly [namespace: string, name: string], since: number): string {
    const key = place.join("/");
    const events = this.#watched.slice(since).filter(({ database }) => keyOf(database) === key);
    return events.map(textOf).join("\n") || "none";
  }
}

function textOf({ at, deleted, database: { generation, conditions } }: WatchedDatabase): string {
  const said = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join(", ");
  return `${new Date(at).toISOString()} generation ${generation}${deleted ? ", deleted" : ""}: ${said}`;
}
