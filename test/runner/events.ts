// What node's runner reports while it goes through a file, as far as it counts here.
import { relative } from "node:path";
import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { reasonOf } from "./tally";

/** A test or a suite of tests ended. */
export interface TestEnd {
  /** The file that it is written in, below the root. */
  readonly file: string;
  readonly name: string;
  /** 0 is the outermost. */
  readonly nesting: number;
  readonly isSuite: boolean;
  readonly result: "passed" | "failed" | "skipped";
  /** Hooks that it had to wait for included. */
  readonly ms: number;
  /** Why it failed; undefined where nothing but tests within it did. */
  readonly reason?: string;
}

/** Whose events they are. */
export interface EventSource {
  readonly root: string;
  /** What the process runs, in full: a file of tests, or a batch of several. */
  readonly entry: string;
  readonly isBatch: boolean;
}

/**
 * The end of a test that an event reports; undefined where it reports something else. A file as such counts as a test
 * only where it failed by itself: a hook did, or its process ended.
 */
export function endOf(event: TestEvent, source: EventSource): TestEnd | undefined {
  if (event.type === "test:fail") {
    const { error } = event.data.details;
    const end = { ...commonOf(event.data, source), result: "failed" as const };
    return isOnlyWithin(error) ? end : { ...end, reason: reasonOf(error.cause) };
  }
  if (event.type !== "test:pass" || event.data.name === source.entry) return undefined;
  const { skip, todo } = event.data;
  return { ...commonOf(event.data, source), result: skip === undefined && todo === undefined ? "passed" : "skipped" };
}

function commonOf(
  { name, file, nesting, details }: EventData.TestPass | EventData.TestFail,
  { root, entry, isBatch }: EventSource,
): Omit<TestEnd, "result"> {
  const isEntry = name === entry;
  return {
    file: relative(root, file ?? entry),
    name: isEntry ? wholeFile : name,
    // in a batch each file is a suite
    nesting: nesting - (isBatch && !isEntry ? 1 : 0),
    isSuite: details.type === "suite",
    ms: details.duration_ms,
  };
}

/** Stands for a file as such among its tests. */
export const wholeFile = "the file as a whole";

const isOnlyWithin = (error: Error): boolean => "failureType" in error && error.failureType === "subtestsFailed";

/** The file of a batch that an event reports: in a batch each is a suite, named by its path below the root. */
export const isFileInBatch = ({ nesting, isSuite }: TestEnd): boolean => nesting < 0 && isSuite;
