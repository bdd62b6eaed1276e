// What one watch tells of objects.
import { z } from "zod";
import { ApiFailure, isPassing, type Cluster, type Query } from "../command/world";

const Line = z.object({ type: z.string(), object: z.unknown() });

/** An object as it became; `isGone`: as it was last. */
export interface Change {
  readonly object: unknown;
  readonly isGone: boolean;
}

/** Until the watch ends, for whatever reason: who follows looks again, also who may not watch. */
export async function* changesOf(...watch: Parameters<typeof permittedChangesOf>): AsyncGenerator<Change, void> {
  try {
    yield* permittedChangesOf(...watch);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
  }
}

/** The same for who does not look otherwise: it throws where the API server refuses. */
export async function* permittedChangesOf(
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
    // a server that goes away may come back
    if (!isPassing(error) && !signal.aborted) throw error;
  }
}
