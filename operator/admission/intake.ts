// Bodies of requests, within bounds: a client at the port must take neither the memory of the operator nor the event loop on which it
// renews its lease.
import type { IncomingMessage } from "node:http";
import { setImmediate as breath } from "node:timers/promises";
import pLimit from "p-limit";

/** A status of HTTP and what comes with it: text is for people, anything else a review for the API server. */
export type Reply = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/** What is left when a body has been worked on: to wait for others, which keeps no other body back. */
export type Rest = () => Promise<Reply>;

export interface IntakeOptions {
  /** Of all bodies that are held at a time, in bytes. */
  readonly maxHeld: number;
  /** From this size on bodies are worked on one at a time, in bytes. */
  readonly large: number;
}

/** What is taken of one client. */
export interface Taken {
  /** Of a body, in bytes. */
  readonly most: number;
  /** Whether one may begin without saying how long it is: kubectl does, with what it reads from a file. Default: false. */
  readonly isLengthOptional?: boolean;
}

export class Intake {
  readonly #alone = pLimit(1);
  #held = 0;

  constructor(private readonly options: IntakeOptions) {}

  /** Hands the body to `work` and returns what that answers; a body that is too long is not read, nor to its end what is too much beside others. */
  async take(
    request: IncomingMessage,
    { most, isLengthOptional = false }: Taken,
    work: (text: string) => Promise<Reply | Rest>,
  ): Promise<Reply> {
    const { maxHeld, large } = this.options;
    const length = Number(request.headers["content-length"] ?? Number.NaN);
    if (!Number.isSafeInteger(length) && !isLengthOptional)
      return [411, "send the length of the review, as Content-Length"];
    const tooLong: Reply = [413, `a review may have at most ${most} bytes`];
    if (length > most) return tooLong;
    let held = 0;
    // what came counts, not what was announced: a client that announces much and sends nothing keeps no other client out
    const isRoomFor = (bytes: number): boolean => {
      held += bytes;
      this.#held += bytes;
      return held <= most && this.#held <= maxHeld;
    };
    try {
      const text = await textOf(request, isRoomFor);
      if (held > most) return tooLong;
      if (text === undefined) return [503, "too many requests at once: try again"];
      const worked = await (held < large ? work(text) : this.#inTurn(text, work));
      return await (typeof worked === "function" ? worked() : worked);
    } finally {
      this.#held -= held;
    }
  }

  #inTurn(text: string, work: (text: string) => Promise<Reply | Rest>): Promise<Reply | Rest> {
    return this.#alone(async () => {
      // whatever else is due comes in between
      await breath();
      return work(text);
    });
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
