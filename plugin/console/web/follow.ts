// What has changed at the API server, as a person may watch it: that it has, never what.
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { memberSelector } from "../../../components/naming";
import { collectionOf, kinds } from "../../cluster/paths";
import { selectorOf } from "../../cluster/selector";
import { ApiFailure, type Cluster, type Query } from "../../command/world";
import type { Person } from "../access/person";
import type { Place } from "../data/read";

/** Something that is watched. */
export interface Target {
  readonly path: string;
  readonly query: Query;
}

/** Namespaces that one page watches, where each has to be watched by itself. */
const most = 20;

/** Undefined where they are too many. */
export async function allTargets(
  { places }: Person,
  namespace: string | undefined,
): Promise<readonly Target[] | undefined> {
  const there = namespace === undefined ? await places() : { names: [namespace] };
  if (there === "all") return [{ path: collectionOf(kinds.databases), query: {} }];
  if (there.names.length > most) return undefined;
  return there.names.map((place) => ({ path: collectionOf(kinds.databases, place), query: {} }));
}

export const targetsOf = ({ namespace, name }: Place): readonly Target[] => [
  { path: collectionOf(kinds.databases, namespace), query: { fieldSelector: `metadata.name=${name}` } },
  { path: collectionOf(kinds.pods, namespace), query: { labelSelector: selectorOf(memberSelector(name)) } },
];

const List = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const Line = z.object({ type: z.string() });

/** A watch that ends sooner than this, in milliseconds, has been none. */
const shortMs = 5000;

/** Milliseconds between two watches of the same, after so many that were none. */
export const pauseAfter = (failures: number): number => Math.min(1000 * 2 ** failures, 15_000);

/** Calls `onChange` until `signal` aborts; ends before where the person may not watch it (any more). */
export async function follow(cluster: Cluster, target: Target, { signal, onChange }: Follower): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      await watched(cluster, target, { signal, onChange });
    } catch (error) {
      if (isFinal(error)) return;
      if (!(error instanceof ApiFailure)) throw error;
      // who looks again sees that it cannot be told now
      onChange();
    }
    failures = performance.now() - began < shortMs ? failures + 1 : 0;
    await pause(pauseAfter(failures), undefined, { signal }).catch(() => undefined);
  }
}

export interface Follower {
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

const isFinal = (error: unknown): boolean => error instanceof ApiFailure && [401, 403, 404].includes(error.status);

/** From what is there now, so that a change is told and not the state. */
async function watched(cluster: Cluster, { path, query }: Target, { signal, onChange }: Follower): Promise<void> {
  const { metadata } = List.parse(await cluster.get(path, { ...query, limit: "1" }));
  // what was before it, and after the page was read, is seen by who looks again
  onChange();
  // it ends by itself after two minutes, and then the person's rights are looked at again
  const { resourceVersion } = metadata;
  for await (const line of cluster.watch(path, { ...query, resourceVersion }, signal)) {
    const type = Line.safeParse(line).data?.type;
    if (type === "ERROR") return;
    if (type !== "BOOKMARK") onChange();
  }
}
