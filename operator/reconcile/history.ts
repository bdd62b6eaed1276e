// What is remembered of each change: pure.
import type { Revision, StackRecord } from "../domain/records";
import type { Drift } from "../domain/children";
import { textOf } from "./drift";

interface Carried {
  readonly change: {
    readonly digest: string;
    readonly by: string;
    readonly drift: readonly Drift[];
    readonly isAsked: boolean;
  };
  readonly summary: string;
  readonly seconds: number;
  readonly at: Date;
  /** Of the Database. */
  readonly generation: number;
  /** Why members are restarted; undefined where they are not. */
  readonly restarts: string | undefined;
}

/** The entry for a change that was applied now. */
export function revisionOf(
  { history }: StackRecord,
  { change, summary, seconds, at, generation, restarts }: Carried,
): Revision {
  const { drift } = change;
  const byPlatform = change.isAsked && history[0]?.generation === generation;
  return {
    revision: (history[0]?.revision ?? 0) + 1,
    at: at.toISOString(),
    seconds,
    digest: change.digest,
    ...(change.isAsked ? { summary, by: change.by } : repairOf(drift, summary)),
    ...(drift.length > 0 && { putBack: drift.map(textOf) }),
    ...(restarts !== undefined && { restarts }),
    generation,
    ...(byPlatform && { byPlatform }),
  };
}

/** What was restored, and who had changed it. */
function repairOf(drift: readonly Drift[], summary: string): Pick<Revision, "summary" | "by"> {
  const changers = new Set(drift.flatMap(({ by }) => (by === undefined ? [] : [by])));
  const children = drift.map(({ child }) => child).join(", ");
  return { summary: `restored: ${children || summary}`, by: [...changers].join(", ") };
}
