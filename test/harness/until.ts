// Waiting for an object to become so, by a watch: every version is looked at, so a moment cannot be missed between two looks.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Patience } from "./eventually";
import type { Kubectl } from "./kubectl";
import type { ObjectPlace } from "./reader";

/** Decides about one version of the object, undefined where there is none; throws where it is not the one waited for. */
export type Accept<T> = (object: unknown) => T | Promise<T>;

/** After that a watch is started again, in milliseconds: one whose connection died without a word is noticed so. */
const windowMs = 10_000;

/**
 * Waits until `accept` takes a version of the object, beginning with the one that is there now: one from before an earlier
 * request is never looked at. Watches that end, break or expire are started again. At the deadline the error says why the last
 * version was not taken, and what it was.
 */
export async function untilObject<T>(
  kubectl: Pick<Kubectl, "follow">,
  place: ObjectPlace,
  accept: Accept<T>,
  { withinMs = 30_000, everyMs = 100 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  const last: Last = { object: undefined, reason: undefined };
  do {
    const window = new AbortController();
    // a watch does not keep this process alive, but this does
    const timer = setTimeout(
      () => {
        window.abort();
      },
      Math.max(1, Math.min(windowMs, deadline - performance.now())),
    );
    try {
      const found = await firstTaken(kubectl.follow(place, window.signal), accept, last);
      if (found !== undefined) return found.taken;
    } catch (error) {
      if (!window.signal.aborted) last.reason = error;
    } finally {
      clearTimeout(timer);
    }
    if (!window.signal.aborted) await delay(everyMs);
  } while (performance.now() < deadline);
  const { kind, name, namespace } = place;
  const why = last.reason instanceof Error ? last.reason.message : String(last.reason);
  const text = `not within ${withinMs / 1000} s: ${why}\nlast seen of ${kind} ${namespace}/${name}: ${textOf(last.object)}`;
  throw new Error(text, { cause: last.reason });
}

/** The version last seen, and why it was not taken, or could not be had. */
interface Last {
  object: unknown;
  reason: unknown;
}

async function firstTaken<T>(
  versions: AsyncIterable<unknown>,
  accept: Accept<T>,
  last: Last,
): Promise<{ readonly taken: T } | undefined> {
  for await (const object of versions) {
    last.object = object;
    try {
      return { taken: await accept(object) };
    } catch (refusal) {
      last.reason = refusal;
    }
  }
  return undefined;
}

const Seen = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      phase: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(""),
            message: z.string().default(""),
          }),
        )
        .default([]),
    })
    .prefault({}),
});

/** One version, for people. */
function textOf(object: unknown): string {
  const { metadata, status } = Seen.safeParse(object).data ?? {};
  if (metadata === undefined) return object === undefined ? "nothing" : JSON.stringify(object);
  const conditions = status?.conditions.map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
  return [
    `resourceVersion ${metadata.resourceVersion}`,
    ...(metadata.generation === undefined ? [] : [`generation ${metadata.generation}`]),
    ...(metadata.deletionTimestamp === undefined ? [] : [`being deleted since ${metadata.deletionTimestamp}`]),
    ...(status?.phase === undefined ? [] : [`phase ${status.phase}`]),
    ...(conditions ?? []),
  ].join("; ");
}
