// The binary logs behind the backup of a drill, replayed to the end of what is there.
//
// No lock is held meanwhile, however long it takes: the archive could remove none, and the next backup would lack their room. Those that lead on from
// the newest backup stay in any case. They go where another one is complete meanwhile, which needs less, and one that a later session repeats goes, too.
import { completeBackups } from "../../backup-volume";
import { exists, isMissing } from "../../disk";
import { log } from "../../log";
import { DrillEnd } from "../../verify/decide";
import type { Manifest } from "../copies/manifest";
import type { ReplayRoom } from "../copies/fit";
import { foresee } from "../restore/foresight";
import type { Plan } from "../restore/plan";
import type { Wish } from "../restore/readable";
import { apply, planned, type Replaying } from "../restore/replay";
import { ReplayProblem } from "../restore/replay-problem";
import { nothingIn, replayEnd, replayFindingOf } from "./findings";

/** What is replayed, and of which Database. */
export interface Behind extends Replaying {
  readonly database: string;
}

/** How often a file may go while it is looked at what is there. */
const mostAttempts = 3;

/** What a replay takes up beside what it changes, as far as that can be seen: what is in the way of it is told once the backup itself is restored. */
export const roomBehind = (wish: Wish, manifest: Manifest, version: string): Promise<ReplayRoom> =>
  foresee(wish, manifest, version).catch(() => ({ copies: 0 }));

/**
 * Returns what is left out as it should be, as a sentence. Throws a DrillEnd where the end says nothing of what is there, else what is in the way. What
 * is left in `scratch` stays.
 */
export async function replayBehind(behind: Behind, by = { planned, apply }): Promise<string | undefined> {
  let logs: Plan["logs"] = [];
  try {
    const plan = await planOf(behind, by.planned);
    ({ logs } = plan);
    await by.apply(plan, behind);
    return undefined;
  } catch (error) {
    const nothing = nothingIn(error);
    if (nothing !== undefined) return nothing;
    const gone = await goneMeanwhile(behind, logs, error);
    throw gone === undefined ? withoutData(error) : new DrillEnd("Interrupted", `${gone}: try it again`);
  }
}

async function planOf(behind: Behind, planFor: typeof planned): Promise<Plan> {
  for (let attempt = 1; ; attempt++)
    try {
      return await planFor(behind);
    } catch (error) {
      if (!isMissing(error) || attempt === mostAttempts) throw error;
    }
}

/** What went, as it may; undefined where that is not why it failed. */
async function goneMeanwhile(
  { backups, database, label }: Behind,
  logs: Plan["logs"],
  error: unknown,
): Promise<string | undefined> {
  for (const { path } of logs)
    if (!(await exists(path))) return "a binary log was removed while it was replayed, as it may be";
  if (replayFindingOf(error) !== "ArchiveDamaged") return undefined;
  const newest = (await completeBackups(backups, database)).at(-1);
  return newest === label
    ? undefined
    : `another backup was complete meanwhile, for which binary logs behind ${label} may go`;
}

/** What the server says of a change that it does not take may quote what is in it: that is for the log. */
function withoutData(error: unknown): unknown {
  if (!(error instanceof ReplayProblem) || error.kind !== "changes") return error;
  log("the binary logs could not be replayed", { why: error.message });
  return (
    replayEnd(error) ??
    new ReplayProblem("changes", "the changes in the binary logs cannot be replayed; the log of the drill says why")
  );
}
