// What the operator used of its rights, as a result of the run.
import pc from "picocolors";
import { verdictOf } from "../judges/rights/compare";
import type { Recorded } from "../judges/rights/record";
import type { Tally } from "./tally";

/** Judges it, in all clusters of a run. */
export function judgeRights(recorded: readonly Recorded[], isAll: boolean): Tally {
  const { problems, notes } = verdictOf(recorded, isAll);
  for (const note of notes) console.log(pc.dim(note));
  for (const problem of problems) console.log(`${pc.red("✖")} ${problem}`);
  const isJudged = isAll || problems.length > 0;
  if (isJudged && problems.length === 0) console.log(`${pc.green("✔")} the operator holds the rights that it uses`);
  const passed = isJudged && problems.length === 0 ? 1 : 0;
  return { passed, failed: problems.length, skipped: 0, failures: problems };
}
