// One look at the member that is followed, and at the primary: whether all that is wanted has come.
import { textOf } from "../../log";
import type { Following } from "./following";
import type { Arrival } from "./group-notes";
import type { Horizon, Look } from "./horizon";

/** What it takes. */
export interface Advance {
  readonly following: Pick<Following, "look">;
  readonly horizon: Horizon;
  /** Asks the primary. */
  readonly lookAtPrimary: () => Promise<Look>;
  readonly note: (arrival: Arrival) => Promise<void>;
}

const behind = "it has not caught up yet";

/** What is waited for; undefined where all that was wanted is there. Throws where the member cannot be followed any more. */
export async function advance({ following, horizon, lookAtPrimary, note }: Advance): Promise<string | undefined> {
  // without a primary what comes is kept all the same
  const why = await lookAtPrimary().then(
    (look) => {
      horizon.see(look);
      return undefined;
    },
    (error: unknown) => textOf(error),
  );
  const { wanted } = horizon;
  if (!(await following.look(wanted))) return why ?? behind;
  if (wanted !== undefined) await note(wanted);
  horizon.reached();
  return why;
}
