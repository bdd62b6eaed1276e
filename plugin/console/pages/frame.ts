// What every page is told beside its own subject.
import type { Links } from "./links";

export interface Frame {
  readonly links: Links;
  readonly now: Date;
  readonly user: string | undefined;
  /** Of the kubeconfig that led to the cluster; undefined where the person has chosen none. */
  readonly context: string | undefined;
  /** Stands in every form: without it nothing is written. */
  readonly formToken: string;
}
