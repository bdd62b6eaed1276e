// What every page is told beside its own subject.
import type { Links } from "./links";

export interface Frame {
  readonly links: Links;
  readonly now: Date;
  readonly user: string | undefined;
  /** Stands in every form: without it nothing is written. */
  readonly formToken: string;
}
