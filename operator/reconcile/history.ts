// What is remembered of each change: pure.
import { textOf, type Look } from "./drift";
import type { Revision, StackRecord } from "../ports";

interface Carried {
  readonly change: { readonly digest: string; readonly by: string; readonly look: Look; readonly isAsked: boolean };
  readonly summary: string;
  readonly seconds: number;
  readonly at: Date;
  /** Why members are restarted; undefined where they are not. */
  readonly restarts: string | undefined;
}

/** The entry for a change that was carried out now. */
export function revisionOf({ history }: StackRecord, { change, summary, seconds, at, restarts }: Carried): Revision {
  const { drift } = change.look;
  const changers = new Set(drift.flatMap(({ by }) => (by === undefined ? [] : [by])));
  return {
    revision: (history[0]?.revision ?? 0) + 1,
    at: at.toISOString(),
    seconds,
    digest: change.digest,
    summary: change.isAsked ? summary : `put back: ${drift.map(({ child }) => child).join(", ") || summary}`,
    by: change.isAsked ? change.by : [...changers].join(", "),
    ...(drift.length > 0 && { putBack: drift.map(textOf) }),
    ...(restarts !== undefined && { restarts }),
  };
}
