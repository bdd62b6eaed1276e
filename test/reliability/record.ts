// Notes how the tests of cases end while node's runner goes through them.
import { relative } from "node:path";
import type { EventData } from "node:test";
import { testNameOf, type Case } from "./case";
import { generatePage } from "./generate";
import { allCases, allProofs, proofsOf } from "./proofs";
import { mergeResults, readResults, writeResults, type Result, type Results } from "./results";

/** The part of a runner's event that counts. */
type Ended = Pick<EventData.TestPass, "name" | "nesting" | "skip">;

/** Collects the results of one or several runs. */
export class CaseRecord {
  readonly #byName: ReadonlyMap<string, Case>;
  readonly #filesOf: ReadonlyMap<string, readonly string[]>;
  readonly #results = new Map<string, Result>();
  /** Tests that ended at each depth since their parent was begun; the runner tells of one file after the other. */
  readonly #depths: number[] = [];

  private constructor(cases: readonly Case[], filesOf: ReadonlyMap<string, readonly string[]>) {
    this.#byName = new Map(cases.map((one) => [testNameOf(one), one]));
    this.#filesOf = filesOf;
  }

  static async open(): Promise<CaseRecord> {
    const cases = await allCases();
    const all = [...cases.values()].flatMap((ofFile) => [...ofFile.values()]);
    return new CaseRecord(all, proofsOf(cases, allProofs()));
  }

  /** A test ended; children end before their parents. */
  ended(result: "passed" | "failed", { name, nesting, skip }: Ended): void {
    const depths = this.#depths;
    const subcases = depths[nesting + 1] ?? 0;
    depths.length = Math.min(depths.length, nesting + 1);
    depths[nesting] = (depths[nesting] ?? 0) + 1;
    const one = this.#byName.get(name);
    if (one !== undefined) this.#results.set(one.id, { result: skip === undefined ? result : "skipped", subcases });
  }

  /** All tests of these files are over: a case of which nothing was heard did not get so far. */
  filesEnded(files: readonly string[], root: string): void {
    const ran = new Set(files.map((file) => relative(root, file)));
    for (const [id, proving] of this.#filesOf) {
      const isOver = proving.length > 0 && proving.every((file) => ran.has(file));
      if (isOver && !this.#results.has(id)) this.#results.set(id, { result: "failed", subcases: 0 });
    }
  }

  get results(): Results {
    return this.#results;
  }

  /** Writes what was noted to results.json, and the page that shows it. */
  async write(isWhole: boolean): Promise<void> {
    if (this.#results.size === 0) return;
    const known = new Set([...this.#byName.values()].map(({ id }) => id));
    writeResults(mergeResults(readResults(), this.#results, isWhole), known);
    await generatePage();
  }
}
