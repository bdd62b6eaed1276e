// What a bare tool is used for.
import type { Steps } from "./steps";

/** Each leaves nothing behind. */
export interface Bare {
  /** `copy` is one of the steps. */
  backup(): Promise<Steps>;
  /** `label`: of the backup; with object storage it is the newest, with all changes. */
  restore(label: string): Promise<Steps>;
}
