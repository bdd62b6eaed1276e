// The load of a try: several clients that write at the same time, through the read-write Service.
import { eventually } from "../../../test/harness/eventually";
import type { Target, TestedEngine } from "../engines/engine";
import type { Attempt } from "./account";
import { write } from "./client";
import { clients } from "./limits";

export interface Load {
  readonly attempts: readonly Attempt[];
  /** The number of the last row of a client that was acknowledged, 0 where none was. */
  lastOf(client: number): number;
  /** Waits until every client has had `count` acknowledgements for rows that it sent after `since`. */
  untilWriting(since: number, count: number, withinMs: number): Promise<void>;
  /** Waits until a row that was sent after `since` is acknowledged. */
  untilWritten(since: number, withinMs: number): Promise<void>;
  /** Ends the clients and returns all that they did. */
  stop(): Promise<readonly Attempt[]>;
}

export interface LoadOptions {
  readonly engine: TestedEngine;
  readonly target: Target;
  readonly table: string;
  /** Of each client after an acknowledgement, in milliseconds. Default: what is documented. */
  readonly pauseMs?: number;
}

/** Starts to write. */
export function startLoad(options: LoadOptions): Load {
  const attempts: Attempt[] = [];
  const abort = new AbortController();
  const running = Array.from({ length: clients }, (_, client) =>
    write({ ...options, client, attempts, stopped: abort.signal }),
  );
  const acknowledgedSince = (since: number): readonly Attempt[] =>
    attempts.filter(({ sentAt, outcome }) => sentAt > since && outcome === "acknowledged");
  return {
    attempts,
    lastOf: (client) =>
      attempts.findLast((attempt) => attempt.client === client && attempt.outcome === "acknowledged")?.number ?? 0,
    untilWriting: (since, count, withinMs) =>
      eventually(
        () => {
          const acknowledged = acknowledgedSince(since);
          const has = (client: number): number => acknowledged.filter((attempt) => attempt.client === client).length;
          const slowest = Math.min(...Array.from({ length: clients }, (_, client) => has(client)));
          if (slowest < count) throw new Error(`a client has had ${slowest} of ${count} acknowledgements`);
        },
        { withinMs },
      ),
    untilWritten: (since, withinMs) =>
      eventually(
        () => {
          if (acknowledgedSince(since).length === 0) throw new Error("no row was acknowledged since");
        },
        { withinMs },
      ),
    async stop() {
      abort.abort();
      await Promise.all(running);
      return attempts;
    },
  };
}
