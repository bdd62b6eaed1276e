// How long a server is waited for that does not answer: it may restart, or a name or a network policy may take a moment to be known.
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../log";

/** Errors of the network; anything else is the server's own word. */
const passing: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "EPIPE"],
  ...["ENOTFOUND", "EAI_AGAIN"],
]);

/** Whether a later attempt may succeed where nothing is changed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  return error instanceof Error && "code" in error && passing.has(error.code);
}

/** What to do about a certificate that is not trusted. Node's own advice is for those who start it. */
function whyOf(error: unknown): string {
  const text = textOf(error).replace(/; if the root CA is installed.*$/, "");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // a driver may have a code of its own for it
  return /CERT|SIGNATURE/.test(code) || /certificate/i.test(text)
    ? `${text} (${code}): its authority must be in the Secret of initFrom.tls.ca, which can be corrected, and initFrom.host must be a name of its certificate`
    : text;
}

/** How it is waited for. */
export interface Reaching {
  readonly title: string;
  readonly log: (message: string) => void;
  /** Whether a later attempt may succeed. Default: where it is the network's error. */
  readonly isPassing?: (error: unknown) => boolean;
  /** In milliseconds. */
  readonly patience?: number;
  readonly pause?: number;
}

/** There are no data yet that could be lost; what is in a Secret needs no new Database. */
const wayOut =
  "Where initFrom itself is wrong, it cannot be changed: delete the Database, and create it again with the right one";

const fiveMinutesMs = 300_000;
const pauseMs = 5_000;

/** What `connect` answers. Throws what it throws, where that does not pass, or has not in time. */
export async function reach<T>(connect: () => Promise<T>, reaching: Reaching): Promise<T> {
  const { title, log, isPassing: mayPass = isPassing, patience = fiveMinutesMs, pause = pauseMs } = reaching;
  const deadline = performance.now() + patience;
  let said = "";
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const why = whyOf(error);
      if (!mayPass(error) || performance.now() > deadline)
        throw new Error(`${title} cannot be entered: ${why}. ${wayOut}`, { cause: error });
      if (why !== said) log(`waiting for ${title}: ${why}`);
      said = why;
    }
    await delay(pause);
  }
}
