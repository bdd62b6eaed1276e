// `status --watch`: what changes, as it changes.
import { setTimeout as sleep } from "node:timers/promises";
import { permittedChangesOf, type Change } from "../cluster/changes";
import { collectionOf, kinds } from "../cluster/paths";
import { explained } from "../cluster/read";
import { isPassing, type Cluster, type Query } from "../command/world";

/** What is followed. */
export interface Followed {
  readonly cluster: Cluster;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Undefined: all. */
  readonly name: string | undefined;
  readonly stopped: AbortSignal;
}

/** Between two watches, in milliseconds. */
const pauseMs = 1000;

/** Each change of a Database, until it is stopped. A watch begins with all that there is: who follows knows what is new of it. */
export async function* followed({ cluster, namespace, name, stopped }: Followed): AsyncGenerator<Change, void> {
  const query: Query = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  while (!stopped.aborted) {
    try {
      yield* permittedChangesOf(cluster, collectionOf(kinds.databases, namespace), query, stopped);
    } catch (error) {
      throw explained(error, { kind: kinds.databases, namespace, verb: "watch" });
    }
    await pause(stopped);
  }
}

const pause = (stopped: AbortSignal): Promise<unknown> =>
  sleep(pauseMs, undefined, { signal: stopped }).catch(() => undefined);

/** What `read` reads, as soon as the API server answers; undefined where it is stopped before. */
export async function readAtLast<T>(read: () => Promise<T>, stopped: AbortSignal): Promise<T | undefined> {
  while (!stopped.aborted) {
    try {
      return await read();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await pause(stopped);
  }
  return undefined;
}
