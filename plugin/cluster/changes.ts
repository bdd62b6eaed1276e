// What one watch tells of objects.
import { z } from "zod";
import { ApiFailure, type Cluster, type Query } from "../command/world";

const Line = z.object({ type: z.string(), object: z.unknown() });

/** An object as it became; `isGone`: as it was last. */
export interface Change {
  readonly object: unknown;
  readonly isGone: boolean;
}

/** Until the watch ends, for whatever reason: who follows looks again. */
export async function* changesOf(
  cluster: Cluster,
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<Change, void> {
  try {
    for await (const line of cluster.watch(path, query, signal)) {
      const { type, object } = Line.parse(line);
      if (type === "ERROR") return;
      if (type !== "BOOKMARK") yield { object, isGone: type === "DELETED" };
    }
  } catch (error) {
    // who may not watch looks again and again; a server that goes away may come back
    if (!(error instanceof ApiFailure) && !signal.aborted) throw error;
  }
}
