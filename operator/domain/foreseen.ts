// What is known of a change before it is carried out, as far as it decides whether that may happen now.
import type { Effect } from "../../contract/effects";

/** One thing that it leads to. */
export interface ForeseenEffect {
  readonly effect: Effect;
  /** To which members, in this order. */
  readonly members: readonly string[];
  /** One sentence. */
  readonly message: string;
}

export type Foreseen =
  | {
      readonly kind: "plan";
      /** Another one where anything has moved that the plan was made of. */
      readonly digest: string;
      /** What was asked for when it was made: what it refers to may have moved meanwhile. */
      readonly wish: string;
      /** The weightiest first. */
      readonly effects: readonly ForeseenEffect[];
      /** Which member is primary; undefined where none is. */
      readonly primary: string | undefined;
    }
  /** The reconcile would refuse it. */
  | { readonly kind: "stalled"; readonly reason: string; readonly message: string }
  /** It cannot be told. */
  | { readonly kind: "failed"; readonly message: string };

/** What follows from a Database being as it is, against what was agreed to last. Writes nothing. Rejects where the cluster cannot be read. */
export type Foresee = (object: unknown) => Promise<Foreseen>;
