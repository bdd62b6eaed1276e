// The status of a Database as it was written last, by whichever version of the operator.
import { z } from "zod";
import { Condition, DatabaseStatus } from "./status";

const StoredStatus = z.object({ status: z.record(z.string(), z.unknown()) });

/**
 * The last written status, to keep what has not changed (transition times). Of one that a newer operator wrote, each part that cannot be read is
 * left out by itself; empty where there is none.
 */
export function statusOf(object: unknown): DatabaseStatus {
  const status = StoredStatus.safeParse(object).data?.status ?? {};
  const listed = z.array(z.unknown()).safeParse(status["conditions"]);
  const conditions = listed.data?.flatMap((condition) => Condition.safeParse(condition).data ?? []);
  const stored = { ...status, ...(conditions && { conditions }) };
  const parsed = DatabaseStatus.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unreadable = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const readable = Object.entries(stored).filter(([field]) => !unreadable.has(field));
  return DatabaseStatus.safeParse(Object.fromEntries(readable)).data ?? {};
}
