// What the reconcile reads and saves of its records, and how its turns go: overheard, so that the history asks for nothing itself.
import type { Key } from "../domain/key";
import type { Outcome } from "../domain/outcome";
import type { StackRecord, StackRecords } from "../domain/records";
import type { Lane } from "../queue/queue";

/** What of a record the history is made of. */
export type HeardRecord = Pick<StackRecord, "uid" | "history">;

/** See the header. */
export class Overheard {
  readonly #records = new Map<Key, HeardRecord>();
  readonly #outcomes = new Map<Key, Outcome>();
  readonly #atWork = new Set<Key>();

  /** `onNews`: there is something to tell of this Database. */
  constructor(private readonly onNews: (key: Key) => void) {}

  /** The same records; what goes through them is heard. */
  listening(records: StackRecords): StackRecords {
    return {
      load: async (key) => {
        const record = await records.load(key);
        if (record !== undefined) this.#hear(key, record);
        return record;
      },
      save: async (key, record) => {
        const saved = await records.save(key, record);
        this.#hear(key, saved);
        return saved;
      },
      remove: async (key) => {
        this.#records.delete(key);
        await records.remove(key);
      },
      forget: (key) => {
        this.#forget(key);
        records.forget(key);
      },
    };
  }

  /** The same work; that a turn goes on which may run is heard. */
  during<Result>(work: (key: Key, lane: Lane) => Promise<Result>): (key: Key, lane: Lane) => Promise<Result> {
    return async (key, lane) => {
      if (lane !== "run") return work(key, lane);
      this.#atWork.add(key);
      try {
        return await work(key, lane);
      } finally {
        this.#atWork.delete(key);
      }
    };
  }

  isAtWork(key: Key): boolean {
    return this.#atWork.has(key);
  }

  ended(key: Key, outcome: Outcome): void {
    if (outcome.kind === "due") return;
    if (outcome.kind === "gone") this.#forget(key);
    else {
      this.#outcomes.set(key, outcome);
      this.onNews(key);
    }
  }

  record(key: Key): HeardRecord | undefined {
    return this.#records.get(key);
  }

  outcome(key: Key): Outcome | undefined {
    return this.#outcomes.get(key);
  }

  #hear(key: Key, { uid, history }: StackRecord): void {
    const known = this.#records.get(key);
    if (known?.history === history && known.uid === uid) return;
    this.#records.set(key, { uid, history });
    // how the turn before went says nothing of a change that came after it
    if (known !== undefined && known.history[0]?.revision !== history[0]?.revision) this.#outcomes.delete(key);
    this.onNews(key);
  }

  #forget(key: Key): void {
    this.#records.delete(key);
    this.#outcomes.delete(key);
  }
}
