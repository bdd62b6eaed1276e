// One who holds a right, or a place, of SECURITY.md: what comes with it, what stops them from more, and what nothing stops.
import type { Case } from "../reliability/case";

/** What tries it: a test, by its file below the root and its name, or a case of docs/reliability.md. */
export type Cite =
  | { readonly kind: "test"; readonly file: string; readonly test: string }
  | { readonly kind: "reliability"; readonly which: Case };

/** Texts are Markdown; links in them are relative to the root. */
export interface Actor {
  /** The heading. */
  readonly who: string;
  /** What it comes to, in a phrase that begins in lower case. */
  readonly worst: string;
  readonly gets: string;
  readonly barriers: readonly Barrier[];
  /** Sentences. There is always something. */
  readonly open: readonly [Open, ...Open[]];
}

export interface Barrier {
  /** What is tried, in lower case: "reads a password". */
  readonly from: string;
  /** With a link to the page, or the decision, that explains it. */
  readonly by: string;
  readonly tried: readonly [Cite, ...Cite[]];
}

/** With the tests that show it, where there are some: they fail once it is stopped. */
type Open = string | { readonly text: string; readonly shown: readonly [Cite, ...Cite[]] };

const inFile =
  (path: (name: string) => string) =>
  (name: string, test: string): Cite => ({ kind: "test", file: path(name), test });

/** A test of `test/cluster/<name>.test.ts`. */
export const inCluster = inFile((name) => `test/cluster/${name}.test.ts`);

/** A story on a real node. */
export const inStory = inFile((name) => `test/e2e/stories/${name}.ts`);

/** A test beside what it tests. */
export const beside = inFile((name) => `${name}.test.ts`);

/** One of those that hold a right, by an account of their own. */
export const byHolder = (test: string): Cite => ({
  ...{ kind: "test", file: "test/cluster/stories/holders-of-rights.ts", test },
});

export const proven = (which: Case): Cite => ({ kind: "reliability", which });
