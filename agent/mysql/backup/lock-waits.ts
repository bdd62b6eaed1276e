// How long others have waited for locks that a dump holds, and when that is too long.
import { z } from "zod";

/** A session that waits, at one look. */
export const LockWait = z.object({
  /** The thread of the server that waits, by its number, which no other thread gets while the server runs. */
  thread: z.coerce.number(),
  /** What it waits for, as `database.table`. */
  table: z.string(),
  /** The connection of the dump that holds the lock. */
  holder: z.coerce.number(),
});
export type LockWait = z.infer<typeof LockWait>;

/** Since when each waits, in milliseconds, by thread and table. */
export type WaitingSince = ReadonlyMap<string, number>;

/**
 * The longest that anything may wait for a dump. Until a replica is blocked so long that its primary slows down (25000 transactions by
 * default), more time passes on all but the busiest databases; a change of a table that the server can make in place needs only moments.
 */
export const longestWaitMs = 10_000;

const keyOf = ({ thread, table }: LockWait): string => `${thread} ${table}`;

/** What to remember after a look at `now`: a wait counts from the first look that saw it, as long as no look missed it. */
export function remembered(before: WaitingSince, waits: readonly LockWait[], now: number): WaitingSince {
  return new Map(waits.map((wait) => [keyOf(wait), before.get(keyOf(wait)) ?? now]));
}

/** Those of `waits` that have lasted too long. */
export function tooLong(waits: readonly LockWait[], since: WaitingSince, now: number): LockWait[] {
  return waits.filter((wait) => now - (since.get(keyOf(wait)) ?? now) >= longestWaitMs);
}
