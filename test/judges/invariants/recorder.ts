// Records what happens in a cluster while tests run: every version of every Database, and every secret there ever was.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ApiError, openApi } from "../../../tools/cluster/api";
import { History } from "./history";
import { canariesIn, databaseView, Secret } from "./parse";

export interface Recorder {
  /** Every event of the watch of all Databases, in the order in which they came. */
  readonly history: History;
  /** Passwords and keys of everything there ever was. */
  readonly canaries: ReadonlySet<string>;
  stop(): void;
}

const databases = "/apis/example.com/v1/databases?watch=true";
const secrets = "/api/v1/secrets?watch=true&labelSelector=app.kubernetes.io%2Fmanaged-by%3Ddatabase-operator";

/** Begins to record. `environment` carries cluster-admin's KUBECONFIG. Who forgets to stop it is not held up. */
export function startRecorder({ KUBECONFIG = "" }: Readonly<Record<string, string>>): Recorder {
  const history = new History();
  const canaries = new Set<string>();
  const end = new AbortController();
  const record = (path: string, accept: Accept): void => {
    void new Watching({ kubeconfig: KUBECONFIG, path, accept, signal: end.signal }).run();
  };
  record(databases, (type, object) => {
    history.add({
      at: Date.now(),
      deleted: type === "DELETED",
      first: type === "ADDED",
      database: databaseView(object),
    });
  });
  record(secrets, (_type, object) => {
    for (const canary of canariesIn(Secret.parse(object))) canaries.add(canary);
  });
  return {
    history,
    canaries,
    stop() {
      end.abort();
    },
  };
}

type Accept = (type: string, object: unknown) => void;

export interface Watched {
  readonly kubeconfig: string;
  readonly path: string;
  readonly accept: Accept;
  readonly signal: AbortSignal;
}

const WatchEvent = z.object({ type: z.string(), object: z.unknown() });
const Versioned = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** How soon a watch that ended, with the API server say, is begun again, in milliseconds. */
const againMs = 300;

/** One watch, for as long as it is wanted: it continues after the last version seen, or shows everything again where that has expired. */
export class Watching {
  readonly #watched: Watched;
  #version: string | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Throws where a version is not what it should be: then nothing that is judged could be trusted. */
  async run(): Promise<void> {
    const { signal, accept } = this.#watched;
    while (!signal.aborted) {
      for await (const { type, object } of this.#events()) accept(type, object);
      await delay(againMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Ends with the connection; an API server that is away, or does not know the kind yet, has none. */
  async *#events(): AsyncGenerator<z.infer<typeof WatchEvent>, void> {
    const { kubeconfig, path, signal } = this.#watched;
    const since = this.#version === undefined ? "" : `&resourceVersion=${this.#version}`;
    const lines = watchOf(kubeconfig, `${path}&allowWatchBookmarks=true${since}`, signal);
    try {
      for (;;) {
        const next = await lines.next().catch((error: unknown) => ({ done: true, value: error }) as const);
        if (next.value instanceof ApiError && next.value.status === 410) this.#version = undefined;
        if (next.done === true) return;
        const event = WatchEvent.parse(next.value);
        if (event.type === "ERROR") this.#version = undefined;
        if (event.type === "ERROR") return;
        this.#version = Versioned.parse(event.object).metadata.resourceVersion;
        if (event.type !== "BOOKMARK") yield event;
      }
    } finally {
      await lines.return();
    }
  }
}

async function* watchOf(kubeconfig: string, path: string, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const api = await openApi(kubeconfig);
  try {
    yield* api.watch(path, signal);
  } finally {
    api.close();
  }
}
