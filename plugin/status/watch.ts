// `status --watch`: what changes, as it changes.
import { setTimeout as sleep } from "node:timers/promises";
import { changesOf, type Change } from "../cluster/changes";
import { collectionOf, kinds } from "../cluster/paths";
import type { Cluster, Query } from "../command/world";

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
    yield* changesOf(cluster, collectionOf(kinds.databases, namespace), query, stopped);
    await sleep(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}
