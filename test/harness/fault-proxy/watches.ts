// The watches that go through the proxy: passed on byte by byte, until a test cuts, freezes or expires them.
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiRequest } from "./request";

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

/** The operator's watches that were open when they were cut, frozen or expired. */
export interface Broken {
  /** Path and selectors of each. */
  readonly names: readonly string[];
  /** Resolves when each of them is open again. Throws after `withinMs`, by default 60 s, with those that are not. */
  readonly reopened: (withinMs?: number) => Promise<void>;
}

const bookmarkAt = (resourceVersion: string): string =>
  JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion } } });

export class Watches {
  readonly #open = new Set<Watch>();
  /** How often each was opened so far. */
  readonly #opened = new Map<string, number>();
  readonly #emitter = new EventEmitter<{ opened: [] }>();

  get count(): number {
    return this.#open.size;
  }

  /** Passes `from` on to `to`, whose head was sent. */
  add(about: ApiRequest, from: IncomingMessage, to: ServerResponse): void {
    const watch = new Watch(about, from, to);
    this.#open.add(watch);
    to.once("close", () => {
      from.destroy();
      this.#open.delete(watch);
    });
    this.#opened.set(watch.name, this.#timesOpened(watch.name) + 1);
    this.#emitter.emit("opened");
  }

  /** Breaks the connections, but for those that are frozen. */
  cut(): Broken {
    return this.#break(this.#flowing, (watch) => {
      watch.cut();
    });
  }

  /** Sends each that has shown nothing yet a BOOKMARK of where it began, as the API server does about once a minute. */
  bookmark(): void {
    for (const watch of this.#open) watch.bookmark();
  }

  /**
   * Leaves the connections open and lets nothing through any more, not even their end; later watches are not affected. With
   * `which`, only those with such a name.
   */
  freeze(which = /^/): Broken {
    return this.#break(
      [...this.#open].filter(({ name }) => which.test(name)),
      (watch) => {
        watch.frozen = true;
      },
    );
  }

  /** Ends each with an ERROR event of code 410, but for those that are frozen. */
  expire(): Broken {
    return this.#break(this.#flowing, (watch) => {
      watch.expire();
    });
  }

  get #flowing(): Watch[] {
    return [...this.#open].filter(({ frozen }) => !frozen);
  }

  #break(broken: readonly Watch[], how: (watch: Watch) => void): Broken {
    const names = broken.filter(({ about }) => about.by === "operator").map(({ name }) => name);
    const countOf = (name: string): number => names.filter((other) => other === name).length;
    const wanted = new Map(names.map((name) => [name, this.#timesOpened(name) + countOf(name)]));
    const missing = (): string[] =>
      [...wanted].flatMap(([name, times]) => (this.#timesOpened(name) < times ? [name] : []));
    for (const watch of broken) how(watch);
    const reopened = async (withinMs = 60_000): Promise<void> => {
      const deadline = AbortSignal.timeout(withinMs);
      try {
        while (missing().length > 0) await once(this.#emitter, "opened", { signal: deadline });
      } catch (cause) {
        throw new Error(`after ${withinMs / 1000} s not open again: ${missing().join(", ")}`, { cause });
      }
    };
    return { names, reopened };
  }

  #timesOpened(name: string): number {
    return this.#opened.get(name) ?? 0;
  }
}

class Watch {
  frozen = false;
  readonly about: ApiRequest;
  /** Path and selectors. */
  readonly name: string;
  readonly #to: ServerResponse;
  /** To be sent as long as nothing else has come. */
  readonly #bookmark: string | undefined;
  #atLineStart = true;
  #expiring = false;
  #isNew = true;

  constructor(about: ApiRequest, from: IncomingMessage, to: ServerResponse) {
    const { searchParams } = new URL(to.req.url ?? "/", "http://api-server");
    const selectors = ["labelSelector", "fieldSelector"].map((one) => searchParams.get(one) ?? "");
    this.about = about;
    this.name = [about.path, ...selectors.filter((one) => one !== "")].join(" ");
    const resourceVersion = searchParams.get("resourceVersion");
    const takesThem = searchParams.get("allowWatchBookmarks") === "true" && resourceVersion !== null;
    this.#bookmark = takesThem ? bookmarkAt(resourceVersion) : undefined;
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

  /** What was sent before still arrives. */
  cut(): void {
    this.#to.socket?.destroySoon();
  }

  bookmark(): void {
    if (this.#isNew && !this.frozen && this.#bookmark !== undefined) this.#to.write(`${this.#bookmark}\n`);
  }

  expire(): void {
    this.#expiring = true;
    this.#endExpired();
  }

  #pass(chunk: Buffer): void {
    if (this.frozen || this.#to.writableEnded) return;
    this.#isNew = false;
    this.#to.write(chunk);
    this.#atLineStart = chunk.at(-1) === newline;
    this.#endExpired();
  }

  /** An event is one line: the last goes between two others. */
  #endExpired(): void {
    if (this.#expiring && this.#atLineStart && !this.frozen) this.#to.end(`${expired}\n`);
  }
}
