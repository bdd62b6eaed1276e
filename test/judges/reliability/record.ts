// Notes how the tests of cases end while node's runner goes through them.
import { testNameOf, type Case } from "./case";
import { generatePage } from "./generate";
import { allCases, allProofs, proofsOf } from "./proofs";
import { mergeResults, readResults, writeResults, type Result } from "./results";
import { shardText, type Shard } from "../../runner/shard";

/** The part of a test's end that counts. */
interface Ended {
  readonly name: string;
  /** 0 is the outermost. */
  readonly nesting: number;
  readonly result: "passed" | "failed" | "skipped";
}

/** How the test of a case ended, and how many tests within it did. */
export type Ending = Pick<Result, "result" | "subcases">;

/** Of what, and when, results are. */
export interface Sitting {
  /** Whether long cases ran in full, or in shards of it. */
  readonly isWhole: boolean;
  readonly shard: Shard;
  readonly commit: string;
  /** The day, UTC. */
  readonly date: string;
}

/** Collects the results of one or several runs. */
export class CaseRecord {
  readonly #byName: ReadonlyMap<string, Case>;
  readonly #filesOf: ReadonlyMap<string, readonly string[]>;
  readonly #results = new Map<string, Ending>();
  /** Tests that ended at each depth since their parent was begun; the runner reports one file after the other. */
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
  ended({ name, nesting, result }: Ended): void {
    // a file in a batch
    if (nesting < 0) return;
    const depths = this.#depths;
    const subcases = depths[nesting + 1] ?? 0;
    depths.length = Math.min(depths.length, nesting + 1);
    depths[nesting] = (depths[nesting] ?? 0) + 1;
    const one = this.#byName.get(name);
    if (one !== undefined) this.#results.set(one.id, { result, subcases });
  }

  /** All tests of these files, below the root, are over: a case of which nothing was heard did not get so far. */
  filesEnded(files: readonly string[]): void {
    const ran = new Set(files);
    for (const [id, proving] of this.#filesOf) {
      const isOver = proving.length > 0 && proving.every((file) => ran.has(file));
      if (isOver && !this.#results.has(id)) this.#results.set(id, { result: "failed", subcases: 0 });
    }
  }

  get results(): ReadonlyMap<string, Ending> {
    return this.#results;
  }

  /** Writes what was noted to results.json, and the page that shows it. */
  async write(which: Sitting): Promise<void> {
    if (this.#results.size === 0) return;
    const cases = new Map([...this.#byName.values()].map((one) => [one.id, one]));
    const newer = [...this.#results].flatMap(([id, ending]) => {
      const one = cases.get(id);
      return one === undefined ? [] : [[id, resultOf(one, ending, which)] as const];
    });
    writeResults(mergeResults(readResults(), new Map(newer)), new Set(cases.keys()));
    await generatePage();
  }
}

/** How a case's test ended, as it stands in results.json. */
export function resultOf({ slice, inShards }: Case, { result, subcases }: Ending, sitting: Sitting): Result {
  const { isWhole, shard, commit, date } = sitting;
  const when = { commit, date, subcases };
  const isPart = inShards === true && shard.of > 1;
  const extent = slice === undefined || (isWhole && !isPart) ? "full" : "slice";
  return { result, extent, ...when, ...(isWhole && isPart && { shards: { [shardText(shard)]: when } }) };
}
