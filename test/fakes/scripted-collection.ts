// A collection of the API server for tests of a client that lists and watches it: it answers nothing by itself.
import type { KubeClient, Query, RequestOptions } from "../../operator/kube/client";

/** A list that was asked for and not answered yet. */
export interface AskedList {
  readonly query: Query;
  answer(page: unknown): void;
  fail(error: unknown): void;
}

/** A watch that is open. */
export interface OpenWatch {
  readonly query: Query;
  send(...events: readonly unknown[]): void;
  /** Ends it as a server does whose time for it is over. */
  end(): void;
  /** Breaks the connection, or refuses the watch. */
  fail(error: unknown): void;
}

/** See the header. Of lists and watches at most one is in progress at a time; a caller that aborts one gets the reason for an error. */
export class ScriptedCollection implements Pick<KubeClient, "get" | "watch"> {
  /** What was asked for so far: `list`, `list after <continue>` or `watch from <resourceVersion>`. */
  readonly asked: string[] = [];
  #list: AskedList | undefined;
  #watch: OpenWatch | undefined;

  get(_path: string, { query = {}, signal }: RequestOptions = {}): Promise<unknown> {
    this.asked.push(query["continue"] === undefined ? "list" : `list after ${query["continue"]}`);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    signal?.addEventListener("abort", () => {
      reject(errorOf(signal));
    });
    this.#list = { query, answer: resolve, fail: reject };
    return promise.finally(() => (this.#list = undefined));
  }

  async *watch(_path: string, { query = {}, signal }: RequestOptions & { signal: AbortSignal }): AsyncGenerator {
    this.asked.push(`watch from ${query["resourceVersion"]}`);
    const line = new Line();
    signal.addEventListener("abort", () => {
      line.put({ error: errorOf(signal) });
    });
    this.#watch = {
      query,
      send: (...events) => {
        for (const event of events) line.put({ event });
      },
      end: () => {
        line.put("end");
      },
      fail: (error) => {
        line.put({ error });
      },
    };
    try {
      for (;;) {
        const next = await line.take();
        if (next === "end") return;
        if ("error" in next) throw next.error;
        yield next.event;
      }
    } finally {
      this.#watch = undefined;
    }
  }

  /** The list that waits for an answer. Throws where there is none. */
  get list(): AskedList {
    if (this.#list === undefined) throw new Error(`no list is asked for, after: ${this.asked.join(", ")}`);
    return this.#list;
  }

  /** The watch that is open. Throws where there is none. */
  get open(): OpenWatch {
    if (this.#watch === undefined) throw new Error(`no watch is open, after: ${this.asked.join(", ")}`);
    return this.#watch;
  }

  /** Whether neither list nor watch is in progress. */
  get isIdle(): boolean {
    return this.#list === undefined && this.#watch === undefined;
  }
}

const errorOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));

type Item = "end" | { readonly event: unknown } | { readonly error: unknown };

/** What has been put in, in order, for one who takes it out. */
class Line {
  readonly #items: Item[] = [];
  #wake: () => void = () => undefined;

  put(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  async take(): Promise<Item> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
