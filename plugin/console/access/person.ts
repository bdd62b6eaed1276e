// Who looks at the console: every request to the API server is theirs.
import type { Cluster } from "../../command/world";

/** One who has shown who they are. What is known of them is a minute old at most. */
export interface Person {
  /** By the name that the API server knows; undefined where it does not say. */
  readonly user: string | undefined;
  readonly cluster: Cluster;
  /** Where they may list Databases. */
  readonly places: () => Promise<Places>;
}

/** Namespaces, or all of them by one request. */
export type Places = "all" | Tried;

export interface Tried {
  readonly names: readonly string[];
  /** How many there are that were not tried. */
  readonly left: number;
}

/** Requests at a time for one page. */
export const requestsAtOnce = 8;
