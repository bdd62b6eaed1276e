// The watches that go through the proxy: passed on byte by byte, until a test cuts, freezes or expires them.
import type { IncomingMessage, ServerResponse } from "node:http";

const newline = 0x0a;

/** The answer to a client whose place in the history is gone. */
const expired = JSON.stringify({
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "too old resource version",
    reason: "Expired",
    code: 410,
  },
});

export class Watches {
  readonly #open = new Set<Watch>();

  get count(): number {
    return this.#open.size;
  }

  /** Passes `from` on to `to`, whose head was sent. */
  add(from: IncomingMessage, to: ServerResponse): void {
    const watch = new Watch(from, to);
    this.#open.add(watch);
    to.once("close", () => {
      from.destroy();
      this.#open.delete(watch);
    });
  }

  /** Breaks the connections. */
  cut(): void {
    for (const watch of this.#open) watch.cut();
  }

  /** Leaves the connections open and lets nothing through any more, not even their end; later watches are not affected. */
  freeze(): void {
    for (const watch of this.#open) watch.frozen = true;
  }

  /** Ends each with an ERROR event of code 410. */
  expire(): void {
    for (const watch of this.#open) watch.expire();
  }
}

class Watch {
  frozen = false;
  readonly #to: ServerResponse;
  #atLineStart = true;
  #expiring = false;

  constructor(from: IncomingMessage, to: ServerResponse) {
    this.#to = to;
    from.on("data", (chunk: Buffer) => {
      this.#pass(chunk);
    });
    from.once("end", () => {
      if (!this.frozen) to.end();
    });
    from.once("error", () => {
      if (!this.frozen) to.destroy();
    });
  }

  cut(): void {
    this.#to.destroy();
  }

  expire(): void {
    this.#expiring = true;
    this.#endExpired();
  }

  #pass(chunk: Buffer): void {
    if (this.frozen || this.#to.writableEnded) return;
    this.#to.write(chunk);
    this.#atLineStart = chunk.at(-1) === newline;
    this.#endExpired();
  }

  /** An event is one line: the last goes between two others. */
  #endExpired(): void {
    if (this.#expiring && this.#atLineStart) this.#to.end(`${expired}\n`);
  }
}
