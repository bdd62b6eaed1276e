// The stream by which a page hears that something has changed.
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { Bell } from "./bell";
import type { ConsoleContext } from "./context";
import { follow, type Target } from "./follow";
import type { Followers } from "./followers";

/** A page hears of changes no oftener than this, in milliseconds. What it shows is read whole each time: lists of all are much. */
export const quietMs = { one: 1000, all: 5000 } as const;
/** What is watched at the begin is told together. */
const beginMs = 1000;
/** A connection that is silent for long is cut by what lies between. */
const beatMs = 20_000;
/** A stream ends after this; the browser opens another one, and has to show again who it is. */
const lifeMs = 10 * 60_000;

export interface Stream {
  /** Undefined: they are too many to be followed. */
  readonly targets: readonly Target[] | undefined;
  readonly quietMs: number;
  readonly followers: Followers;
  readonly stopped: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Answers with 204 where there is nothing to follow: then the browser does not ask again. */
export function changes(c: ConsoleContext, { targets, quietMs, followers, stopped, onError }: Stream): Response {
  const { key, person } = c.var.visitor;
  // who asks for the head alone would never read, and keep a place
  if (c.req.method === "HEAD") return c.body(null, 204);
  const leave = targets === undefined ? undefined : followers.enter(key);
  if (targets === undefined || leave === undefined) return c.body(null, 204);
  // a proxy that collects answers would keep them for itself
  c.header("X-Accel-Buffering", "no");
  return streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => {
      left.abort();
    });
    const signal = AbortSignal.any([left.signal, stopped, AbortSignal.timeout(lifeMs)]);
    const bell = new Bell(signal);
    const onChange = (): void => {
      bell.ring();
    };
    void Promise.all(targets.map((target) => follow(person.cluster, target, { signal, onChange })))
      .catch(onError)
      .finally(() => {
        bell.end();
      });
    try {
      // one who does not read holds a place no longer than all
      await Promise.race([tell(stream, bell, quietMs), aborted(signal)]);
    } finally {
      left.abort();
      leave();
    }
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

/** Until the bell has ended. */
async function tell(stream: SSEStreamingApi, bell: Bell, quietMs: number): Promise<void> {
  // so that the browser knows at once that it is connected
  await stream.write(": \n\n");
  await bell.quiet(beginMs);
  for (;;) {
    const heard = await bell.heard(beatMs);
    if (heard === "gone") return;
    if (heard === "over") return stream.writeSSE({ event: "over", data: "1" });
    if (heard === "nothing") await stream.write(": \n\n");
    else await stream.writeSSE({ event: "changed", data: "1" });
    await bell.quiet(quietMs);
  }
}
