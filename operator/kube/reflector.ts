// A local copy of one collection, kept by list and watch: it restarts after every error, lists again when its place in the
// history is gone, and never forgets an object because a list failed or a stream broke.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { versionOf } from "../objects/resource-version";
import { ApiError, metadataListOnly, metadataOnly, type KubeClient } from "./client";

/** `namespace/name`, or `name` for what has no namespace. */
export type Key = string;

export interface ReflectorOptions<T> {
  readonly client: Pick<KubeClient, "get" | "watch">;
  /** The collection's path. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Asks for metadata only. */
  readonly metadataOnly?: boolean;
  /** Turns the server's object into what is kept; undefined drops it. Where it throws, the last copy stays and `onProblem` is called. */
  readonly parse: (object: unknown) => T | undefined;
  /**
   * Asked before each list: whether there can be anything. Where not, the copy is empty, and the question comes again after
   * a pause. With it, a refusal is taken as a reason to ask. Default: always.
   */
  readonly exists?: () => Promise<boolean>;
  /** Called after what is kept changed in depth: for additions, changes (`before` and `after`) and removals. */
  readonly onChange?: (key: Key, after: T | undefined, before: T | undefined) => void;
  /** Called with why a list or watch broke, or an object could not be read; work continues after a pause. */
  readonly onProblem?: (cause: unknown) => void;
  /** First delay after a failure, doubled up to 30 s. Default: 500 ms. */
  readonly retryMs?: number;
  /** Silence after which a watch counts as half-open. Default: 100 s; bookmarks come about once a minute. */
  readonly silenceMs?: number;
}

const Listed = z.object({
  metadata: z.object({ resourceVersion: z.string().default(""), continue: z.string().default("") }),
  items: z.array(z.unknown()).nullish(),
});
const WatchEvent = z.object({
  type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]),
  object: z.unknown(),
});
const ObjectMeta = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string().optional(), resourceVersion: z.string().default("") }),
});
const WatchError = z.object({
  code: z.number().default(0),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** Objects per page of a list. */
const pageSize = 500;
/** The server ends a watch after this time at the latest. */
const watchSeconds = 240;
const longestSilenceMs = 100_000;

export class Reflector<T> {
  readonly #objects = new Map<Key, T>();
  readonly #abort = new AbortController();
  readonly #synced = Promise.withResolvers<undefined>();
  #isSynced = false;
  #resourceVersion = "";
  #failures = 0;
  #loop: Promise<void> | undefined;

  constructor(private readonly options: ReflectorOptions<T>) {}

  /** Begins; resolves when the first list is in. */
  async start(): Promise<void> {
    this.#loop ??= this.#run();
    await this.#synced.promise;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop;
  }

  /** Whether the first list is in. */
  get synced(): boolean {
    return this.#isSynced;
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<Key> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  async #run(): Promise<void> {
    while (!this.#stopped()) {
      try {
        const isThere = this.#resourceVersion !== "" || (await this.#list());
        const began = Date.now();
        if (isThere) await this.#watch();
        // a server or proxy that ends every watch at once must not be asked without pause, nor whether there is something
        if (Date.now() - began < 1000) await this.#pause();
      } catch (error) {
        if (this.#stopped()) break;
        if (this.#isPlaceLost(error)) this.#resourceVersion = "";
        this.options.onProblem?.(error);
        await this.#pause();
      }
    }
  }

  /** Whether the next step lists again, or asks whether there is something to list. */
  #isPlaceLost(error: unknown): boolean {
    return isGone(error) || (this.options.exists !== undefined && isRefused(error));
  }

  #stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  /** False where there is nothing to list, and so nothing to watch. */
  async #list(): Promise<boolean> {
    const found = new Map<Key, T>();
    if (this.options.exists && !(await this.options.exists())) {
      this.#arrived(found);
      return false;
    }
    let page: z.infer<typeof Listed> | undefined;
    do {
      const next = page?.metadata.continue;
      const answer: unknown = await this.options.client.get(this.options.path, {
        query: { ...this.#selectors(), limit: pageSize, ...(next ? { continue: next } : {}) },
        signal: this.#abort.signal,
        ...(this.options.metadataOnly ? { accept: metadataListOnly } : {}),
      });
      page = Listed.parse(answer);
      for (const object of page.items ?? []) this.#collect(found, object);
    } while (page.metadata.continue !== "");
    this.#arrived(found);
    this.#resourceVersion = page.metadata.resourceVersion;
    return true;
  }

  #arrived(found: ReadonlyMap<Key, T>): void {
    this.#replaceAll(found);
    this.#isSynced = true;
    this.#synced.resolve(undefined);
  }

  #collect(into: Map<Key, T>, object: unknown): void {
    const { key } = keyOf(object);
    const kept = this.#parse(key, object);
    if (kept !== undefined) into.set(key, kept);
  }

  #parse(key: Key, object: unknown): T | undefined {
    try {
      return this.options.parse(object);
    } catch (error) {
      this.options.onProblem?.(error);
      return this.#objects.get(key);
    }
  }

  #replaceAll(found: ReadonlyMap<Key, T>): void {
    for (const key of [...this.#objects.keys()]) {
      if (!found.has(key)) this.#set(key, undefined);
    }
    for (const [key, object] of found) this.#set(key, object);
  }

  async #watch(): Promise<void> {
    const { silenceMs = longestSilenceMs } = this.options;
    const silence = new AbortController();
    const armed = (): NodeJS.Timeout =>
      setTimeout(() => {
        silence.abort(new Error(`the watch has been silent for ${silenceMs / 1000} s`));
      }, silenceMs).unref();
    let timer = armed();
    try {
      const events = this.options.client.watch(this.options.path, {
        query: {
          ...this.#selectors(),
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion: this.#resourceVersion,
          timeoutSeconds: watchSeconds,
        },
        signal: AbortSignal.any([this.#abort.signal, silence.signal]),
        ...(this.options.metadataOnly ? { accept: metadataOnly } : {}),
      });
      for await (const event of events) {
        clearTimeout(timer);
        timer = armed();
        this.#failures = 0;
        this.#accept(WatchEvent.parse(event));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #accept(event: z.infer<typeof WatchEvent>): void {
    switch (event.type) {
      case "ERROR": {
        const { code, reason, message } = WatchError.parse(event.object);
        throw new ApiError(code, reason, message);
      }
      case "BOOKMARK":
        this.#resourceVersion = versionOf(event.object);
        return;
      case "DELETED":
        this.#advance(event.object, undefined);
        return;
      case "ADDED":
      case "MODIFIED":
        this.#advance(event.object, this.#parse(keyOf(event.object).key, event.object));
        return;
    }
  }

  #advance(object: unknown, kept: T | undefined): void {
    const { key, resourceVersion } = keyOf(object);
    this.#set(key, kept);
    this.#resourceVersion = resourceVersion;
  }

  #set(key: Key, after: T | undefined): void {
    const before = this.#objects.get(key);
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    if (!isDeepStrictEqual(before, after)) this.options.onChange?.(key, after, before);
  }

  #selectors(): { labelSelector?: string; fieldSelector?: string } {
    const { labelSelector, fieldSelector } = this.options;
    return { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
  }

  async #pause(): Promise<void> {
    const delay = Math.min(30_000, (this.options.retryMs ?? 500) * 2 ** this.#failures++) * (1 - Math.random() / 2);
    await sleep(delay, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}

function keyOf(object: unknown): { key: Key; resourceVersion: string } {
  const { name, namespace, resourceVersion } = ObjectMeta.parse(object).metadata;
  return { key: namespace === undefined ? name : `${namespace}/${name}`, resourceVersion };
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");
}
