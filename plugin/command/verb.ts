// What a verb is: how it is called, and how it is run.
import type { Asked, Format } from "./asked";
import type { FlagName } from "./flags";
import type { World } from "./world";

/** 0: it is so, or nothing would change; 1: it is not so, or something would change; 2: that could not be told. */
export type ExitCode = 0 | 1 | 2;

export type Run = (asked: Asked, world: World) => Promise<ExitCode>;

export interface Verb {
  readonly name: string;
  /** One line, without a full stop. */
  readonly does: string;
  /** What stands behind the verb: a name that may be left out, one that may not, or nothing. */
  readonly takes: "a name or none" | "a name" | "nothing";
  /** What the name is of, in help. Default: NAME. */
  readonly placeholder?: string;
  readonly flags: readonly FlagName[];
  /** What `--output` can be beside text. */
  readonly formats: readonly Format[];
  /** More for `--help`: what it reads, and what its exit codes say. */
  readonly more: readonly string[];
  readonly examples: readonly string[];
  /** Loads it only where it is run: `--help` must not wait for what a verb needs. */
  readonly load: () => Promise<Run>;
}
