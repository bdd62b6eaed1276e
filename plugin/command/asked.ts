// What a person asks for, read from the command line.
import type { ColorChoice } from "./flags";
import type { Reach } from "./world";

/** What can be printed instead of text. */
export const formats = ["json", "yaml", "name", "wide"] as const;
export type Format = (typeof formats)[number];

export interface Asked {
  /** The name behind the verb. */
  readonly name: string | undefined;
  /** Undefined: that of the context. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Undefined: text. */
  readonly output: Format | undefined;
  readonly headers: boolean;
  readonly watch: boolean;
  readonly all: boolean;
  /** Only what a release of the operator alone asks for. */
  readonly isRelease: boolean;
  /** By their names, as they are written. */
  readonly effects: readonly string[];
  readonly files: readonly string[];
  readonly catalogue: string | undefined;
  readonly remove: boolean;
  readonly serverSide: boolean;
  readonly objects: boolean;
  readonly goal: string | undefined;
  readonly timeout: string | undefined;
  readonly port: string | undefined;
  readonly plan: string | undefined;
  readonly now: boolean;
  readonly yes: boolean;
  /** The number of a revision, by either flag. */
  readonly revision: number | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly keepsVersion: boolean;
  /** Of a backup: beyond the retention. */
  readonly keep: boolean;
  readonly color: ColorChoice;
  readonly help: boolean;
  readonly reach: Reach;
}
