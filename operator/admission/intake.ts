// Bodies of requests, within bounds: a client at the port must take neither the memory of the operator nor the event loop on which it
// renews its lease.
import type { IncomingMessage } from "node:http";
import { setImmediate as breath } from "node:timers/promises";
import pLimit from "p-limit";

/** A status of HTTP and what comes with it: text is for people, anything else a review for the API server. */
export type Reply = readonly [status: number, body: unknown];

export interface IntakeOptions {
  /** Of all bodies that are held at a time, in bytes. */
  readonly maxHeld: number;
  /** From this size on bodies are worked on one at a time, in bytes. */
  readonly large: number;
}

export class Intake {
  readonly #alone = pLimit(1);
  #held = 0;

  constructor(private readonly options: IntakeOptions) {}

  /** Hands the body to `work` and returns what that answers; a body that is too long is not read, nor to its end what is too much beside others. */
  async take(request: IncomingMessage, most: number, work: (text: string) => Promise<Reply>): Promise<Reply> {
    const { maxHeld, large } = this.options;
    const length = Number(request.headers["content-length"] ?? Number.NaN);
    if (!Number.isSafeInteger(length)) return [411, "send the length of the review, as Content-Length"];
    if (length > most) return [413, `a review may have at most ${most} bytes`];
    let held = 0;
    // what came counts, not what was announced: a client that announces much and sends nothing keeps no other client out
    const isRoomFor = (bytes: number): boolean => {
      held += bytes;
      this.#held += bytes;
      return this.#held <= maxHeld;
    };
    try {
      const text = await textOf(request, isRoomFor);
      if (text === undefined) return [503, "too many requests at once: try again"];
      if (length < large) return await work(text);
      return await this.#alone(async () => {
        // whatever else is due comes in between
        await breath();
        return work(text);
      });
    } finally {
      this.#held -= held;
    }
  }
}

/** Undefined where there is no room for it. HTTP sees to it that it is no longer than was said. */
async function textOf(request: IncomingMessage, isRoomFor: (bytes: number) => boolean): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk as Uint8Array);
    if (!isRoomFor(buffer.length)) return undefined;
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
