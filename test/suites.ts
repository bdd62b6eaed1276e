// What there is to run: the suites, and what each needs.
import { cpus } from "node:os";
import { provideTools, toolsOnPath } from "../tools/build/build";
import { buildImages } from "../tools/images/build";
import { progressOn } from "../tools/progress";
import { imagesOfMinors } from "./harness/built-versions";

export type SuiteName = "check" | "unit" | "cluster" | "faults" | "e2e";

/** Tests of node's runner: which files, how many of them at a time, and how long a file and a test may take. */
export interface TestFiles {
  readonly files: readonly string[];
  readonly exclude?: readonly string[];
  readonly concurrency: number;
  /** Of the files, those about the whole machine: they run when the others have ended, one at a time. */
  readonly alone?: readonly string[];
  /** For a file. */
  readonly minutes: number;
  /** For a test and for a hook; one that needs longer has a `timeout` of its own and says why. */
  readonly testMinutes: number;
  /** How many processes share the files. Default: each has its own. */
  readonly batches?: number;
  /** What must be there first; on a bare machine it takes far longer than any test may. */
  readonly prepare?: () => Promise<unknown>;
  /** Bytes that must be free on the disk when its files begin. Default: none. */
  readonly room?: number;
}

/** A whole run was seen to take 6.2 GB of the disk while it lasted, nearly all of that for nodes that run containers. */
const ROOM_OF_SIMULATED = 2e9;
const ROOM_OF_REAL = 8e9;

/** Whether the tests that can be cut into slices must run in full. */
export const isWhole = process.env["FAULTS"] === "all";

/** What the clusters consist of, and the programs that only these tests use. */
const provide =
  (...names: readonly string[]) =>
  async (): Promise<void> => {
    const progress = progressOn(process.stdout);
    await toolsOnPath({ progress });
    if (names.length > 0) await provideTools(names, { progress });
  };

/** Without root there are no images, and the stories themselves say so. */
async function provideToolsAndImages(): Promise<void> {
  if (process.getuid?.() !== 0) return provide()();
  await provide("kube-network-policies", "versitygw")();
  await progressOn(process.stdout).step("images", (log) => buildImages({ log, extra: imagesOfMinors }));
}

/**
 * Every file of `cluster`, `faults` and `e2e` has a cluster of its own. Some go at a time, as they mostly wait: three of those with
 * simulated nodes keep two cores busy, and so do two with real ones: where a third began, members took three minutes to start.
 */
export const testFiles: Readonly<Record<Exclude<SuiteName, "check">, TestFiles>> = {
  unit: {
    files: ["{agent,components,contract,examples,infra,measure,operator,plugin,stacks,test,tools}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/cluster/**", "test/faults/**", "test/e2e/**"],
    concurrency: Math.max(1, cpus().length),
    minutes: 5,
    testMinutes: 2,
    batches: 4 * Math.max(1, cpus().length),
  },
  cluster: {
    files: ["test/cluster/**/*.test.ts"],
    concurrency: 3,
    minutes: 15,
    testMinutes: 5,
    prepare: provide("kubeconform", "kube-score", "kubesec"),
    room: ROOM_OF_SIMULATED,
  },
  // Crashes at every point: a slice of the points, or all of them, which takes hours.
  faults: {
    files: ["test/faults/**/*.test.ts"],
    concurrency: 4,
    minutes: isWhole ? 600 : 30,
    testMinutes: isWhole ? 600 : 5,
    prepare: provide(),
    room: ROOM_OF_SIMULATED,
  },
  e2e: {
    files: ["test/e2e/**/*.test.ts"],
    concurrency: 2,
    alone: ["test/e2e/real-node.test.ts"],
    minutes: 45,
    testMinutes: 5,
    prepare: provideToolsAndImages,
    room: ROOM_OF_REAL,
  },
};

/**
 * Files of `cluster`, `faults` and `e2e` together that run at a time: those of the faults mostly wait, and each suite has a tail in which
 * single files leave a core idle. Where the machine is busy it is fewer (`test/runner/pool.ts`).
 */
export const slowFilesAtOnce = 4;

/** In the order in which they run, but that the slow ones run beside each other. */
export const suiteNames: readonly SuiteName[] = ["check", "unit", "cluster", "faults", "e2e"];

/** Programs that must end with code 0, each with the sentence it proves; the longest first, as some run at a time. */
export const checks: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  "lint finds nothing": ["eslint", "."],
  "types are right": ["tsc", "--noEmit"],
  "files are formatted": ["prettier", "--check", "--log-level", "warn", "."],
  "imports run in no circle": ["tsx", "tools/structure/main.ts"],
  "words are spelled right": ["cspell", "lint", "--no-progress", "--no-summary", "--quiet"],
  "generated files are current": ["tsx", "operator/api/generate.ts", "--check"],
  "the page on rights is current": ["tsx", "test/judges/rights/generate.ts", "--check"],
  "the page on metrics is current": ["tsx", "operator/metrics/generate.ts", "--check"],
  "the page on parameters is current": ["tsx", "tools/parameters/generate.ts", "--check"],
  "the page on reliability is current": ["tsx", "test/judges/reliability/generate.ts", "--check"],
  "the page on security is current": ["tsx", "test/judges/security/generate.ts", "--check"],
  "the tests of the resident Pulumi pass": ["go", "-C", "resident", "test", "-buildvcs=false", "-trimpath", "./..."],
};
