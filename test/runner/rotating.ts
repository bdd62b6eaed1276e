// For files of tests: registers what belongs to a group of the slow tail only where the group's turn has come.
import { groupsVariable, isInForce } from "./rotation";
import type { GroupName } from "./groups";
import { leaveNote } from "./notes";

/**
 * Registers tests of a group, and hooks that only they need, by calling `register`, where the run takes this group; a file that is run by
 * hand takes all. `tests`: how many it registers, for the run to say what it left out; default 1.
 *
 *     rotating("postgresql-wal-gone", () => test("a replica …", async () => { … }));
 */
export function rotating(group: GroupName, register: () => unknown, tests = 1): void {
  const isHere = isInForce(group, process.env[groupsVariable]);
  leaveNote({ kind: "rotating", group, tests, isHere });
  if (isHere) register();
}
