// How large backups are. To tell that takes as long as to look at each of their files, so it is done once for each, in the background, and noted.
import { join } from "node:path";
import { z } from "zod";
import { readNote, writeNote } from "../../json-file";
import { log, textOf } from "../../log";
import { output } from "../../restore/output";

const note = "sizes.json";
const Noted = z.record(z.string(), z.number());

/** Of one directory, in bytes. */
const measure = async (directory: string): Promise<number> =>
  Number((await output("du", ["--summarize", "--block-size=1", directory])).split("\t")[0]);

/** See the header. */
export class Sizes {
  readonly #measure: (directory: string) => Promise<number>;
  readonly #known = new Map<string, Map<string, number>>();
  /** Those that could not be told come last. */
  readonly #failed = new Set<string>();
  #measuring: Promise<void> | undefined;

  constructor(measureOne = measure) {
    this.#measure = measureOne;
  }

  /** As far as they have been told. `directory`: where that is noted. `labels`: from old to new. */
  async of(directory: string, backups: string, labels: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const known = this.#known.get(directory) ?? (await noted(directory));
    this.#known.set(directory, known);
    for (const label of known.keys()) if (!labels.includes(label)) known.delete(label);
    // the newest counts most
    const next = labels.findLast((label) => !known.has(label) && !this.#failed.has(label));
    if (next === undefined) this.#failed.clear();
    else this.#measuring ??= this.#tell(known, directory, join(backups, next), next);
    return new Map(known);
  }

  /** Until none is being looked at. */
  async idle(): Promise<void> {
    await this.#measuring;
  }

  async #tell(known: Map<string, number>, directory: string, backup: string, label: string): Promise<void> {
    try {
      known.set(label, await this.#measure(backup));
      await writeNote(directory, note, Object.fromEntries(known));
    } catch (error) {
      // it may just have been removed
      this.#failed.add(label);
      log("how large a backup is cannot be told", { backup: label, why: textOf(error) });
    } finally {
      this.#measuring = undefined;
    }
  }
}

const noted = async (directory: string): Promise<Map<string, number>> =>
  new Map(Object.entries((await readNote(join(directory, note), Noted).catch(() => undefined)) ?? {}));
