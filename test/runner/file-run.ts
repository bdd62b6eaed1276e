// Runs one file of tests, or a batch of several, in a process of its own, by node's runner.
import { Readable } from "node:stream";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { endOf, type EventSource, type TestEnd } from "./events";
import { stop } from "./stop";

/** What to run, and how. */
export interface FileRunArgs extends EventSource {
  /** For one test, in milliseconds; one may have its own. */
  readonly testMs: number;
  /** For the whole process, in milliseconds; then it is ended. */
  readonly fileMs: number;
  /** Only tests whose name matches. */
  readonly only?: RegExp;
  /** Set on top of this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets what there is to read while it runs. */
  readonly onText: (text: string) => void;
}

/** How it went. */
export interface FileRun {
  /** In the order in which they ended. */
  readonly ends: readonly TestEnd[];
  /** From the start of the process to its end. */
  readonly ms: number;
}

/** For the programs in Go that tests start, which live for seconds; an operator gets an environment of its own. */
const collectSeldom = { GOGC: "500" };

/** Runs it to its end. The runner's own `timeout` is for each test: a file is limited by a signal that ends its process. */
export async function runFile(args: FileRunArgs): Promise<FileRun> {
  const { entry, only, testMs, fileMs, environment } = args;
  const began = performance.now();
  const ends = new Array<TestEnd>();
  const events = run({
    files: [entry],
    timeout: testMs,
    signal: AbortSignal.any([AbortSignal.timeout(fileMs), stop]),
    execArgv: ["--import", "tsx"],
    env: { ...collectSeldom, ...process.env, ...environment },
    ...(only && { testNamePatterns: [only] }),
  });
  async function* notable(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent, void> {
    for await (const event of source) {
      const end = endOf(event, args);
      if (end !== undefined) ends.push(end);
      if (!isCount(event)) yield event;
    }
  }
  for await (const text of Readable.from(notable(events)).compose(spec)) args.onText(String(text));
  return { ends, ms: performance.now() - began };
}

/** The counts of one file, which the run sums up itself. */
const isCount = ({ type, data }: TestEvent): boolean =>
  type === "test:summary" || (type === "test:diagnostic" && data.nesting === 0 && data.file === undefined);
