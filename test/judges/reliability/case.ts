// A case of docs/reliability.md: what is done to a database or its operator, and what must hold then; and the test of it.
import test, { type TestContext } from "node:test";

export interface Case {
  /** For example `deletion.retainBackground`. */
  readonly id: string;
  /** The part of the page it is shown in, for example `Deletion`. */
  readonly area: string;
  /** What happens: "the Secret with the state is truncated". */
  readonly title: string;
  /** How the test makes it happen: "kubectl patch of the Secret while the operator runs". */
  readonly provoked: string;
  /** What must hold: "rebuilt by adoption, no pod restarted, same password". */
  readonly expected: string;
  /** Where it is long: what `make test` takes of it; `make test-faults` takes all. Default: both take all. */
  readonly slice?: string;
  /** Whether all of it is many points, of which each shard takes its part. Default: false, a shard takes all or none of it. */
  readonly inShards?: true;
}

/** Cases of one area, each with the id `<area>.<key>`. */
export function area<K extends string>(name: string, cases: Record<K, Omit<Case, "id" | "area">>): Record<K, Case>;
export function area(name: string, cases: Record<string, Omit<Case, "id" | "area">>): Record<string, Case> {
  const prefix = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const entries = Object.entries(cases).map(([key, rest]) => [key, { id: `${prefix}.${key}`, area: name, ...rest }]);
  return Object.fromEntries(entries) as Record<string, Case>;
}

/** Name of the test that proves a case. The runner finds the case by it, and notes how the test ended. */
export const testNameOf = ({ title, expected }: Case): string => `${title}: ${expected}`;

/** What node's runner may know of a test. */
export interface ProofOptions {
  /** In milliseconds. Default: the time that its file has. */
  readonly timeout?: number;
  /** Why it cannot run here; shown beside the test. */
  readonly skip?: string | false;
}

/** Registers the test of a case. Sub-cases are tests of the context: `await t.test("…", …)`. */
export function proves(which: Case, body: (t: TestContext) => Promise<void>, options: ProofOptions = {}): void {
  void test(testNameOf(which), options, body);
}
