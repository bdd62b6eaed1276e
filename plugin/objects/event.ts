// An event of the cluster, in the one form that both of its kinds of clients leave.
import { z } from "zod";

const Shape = z.object({
  metadata: z.object({ creationTimestamp: z.string().nullish() }).prefault({}),
  involvedObject: z.object({ kind: z.string().default(""), name: z.string().default("") }).prefault({}),
  type: z.string().default("Normal"),
  reason: z.string().default(""),
  message: z.string().default(""),
  count: z.number().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  series: z.object({ count: z.number().optional(), lastObservedTime: z.string().optional() }).nullish(),
});

export interface SeenEvent {
  /** When it was seen last. */
  readonly at: string;
  readonly kind: string;
  readonly name: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** Undefined for what is none. */
export function eventIn(object: unknown): SeenEvent | undefined {
  const event = Shape.safeParse(object).data;
  if (event === undefined) return undefined;
  const { involvedObject, type, reason, message, count, series } = event;
  const at =
    series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "";
  return {
    ...{ at, kind: involvedObject.kind, name: involvedObject.name },
    ...{ isWarning: type === "Warning", reason, message, count: series?.count ?? count ?? 1 },
  };
}
