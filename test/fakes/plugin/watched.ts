// An API server for the plugin whose watches stay open.
import { EventEmitter, on } from "node:events";
import { ApiFailure, type Cluster } from "../../../plugin/command/world";
import { fakeCluster, type FakeCluster } from "./cluster";

/** A cluster whose watches stay open, and are told what happens. */
export class Watched {
  /** Those that are open, by path. */
  readonly open = new Map<symbol, string>();
  readonly #news = new EventEmitter();
  readonly cluster: Cluster;

  constructor(fake: FakeCluster) {
    const { forbidden = [] } = fake;
    const { open } = this;
    const news = this.#news;
    this.cluster = {
      ...fakeCluster(fake),
      async *watch(path, _query, signal) {
        if (forbidden.some((plural) => path.endsWith(plural))) throw new ApiFailure(403, "Forbidden", "no");
        const key = Symbol(path);
        open.set(key, path);
        try {
          for await (const [type] of on(news, "turn", { signal })) yield { type: String(type), object: {} };
        } catch (error) {
          if (!signal.aborted) throw error;
        } finally {
          open.delete(key);
        }
      },
    };
  }

  happen(type: string): void {
    this.#news.emit("turn", type);
  }
}
