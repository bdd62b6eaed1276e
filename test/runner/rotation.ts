// Which groups of the slow tail a run takes: those whose turn it is, and those about something that has changed.
import { groupNames, isGroup, type GroupName } from "./groups";

/** Informs the processes of tests which groups are in force, with commas between them; where it is not set, all are. */
export const groupsVariable = "DATABASE_OPERATOR_TEST_GROUPS";

/** Within so many commits, one after the other, every group has its turn. */
const commitsForAll = 6;

/** Whether a group is in force, by the value of the variable. */
export function isInForce(group: GroupName, value: string | undefined): boolean {
  return value === undefined || value.split(",").includes(group);
}

/** The groups whose turn it is for a seed, which grows by one with each commit. */
export function turnOf(seed: number, names: readonly GroupName[] = groupNames, commits = commitsForAll): GroupName[] {
  const count = Math.ceil(names.length / commits);
  const taken = Array.from({ length: count }, (_, index) => (seed * count + index) % names.length);
  return names.filter((_, index) => taken.includes(index));
}

/** What a run takes of the groups. */
export interface Rotation {
  readonly taken: readonly GroupName[];
  readonly leftOut: readonly GroupName[];
  /** Taken although it is not their turn, as something of theirs has changed. */
  readonly forced: readonly GroupName[];
}

export interface RotationArgs {
  readonly seed: number;
  /** Groups about something that has changed. */
  readonly changed: readonly GroupName[];
  /** `all`, `none`, or names with commas or spaces between them. Default: those whose turn it is, and the changed ones. */
  readonly asked?: string;
}

/** Throws where `asked` names a group that does not exist. */
export function rotationOf({ seed, changed, asked }: RotationArgs): Rotation {
  const turn = turnOf(seed);
  const chosen = asked === undefined || asked === "" ? new Set([...turn, ...changed]) : new Set(groupsIn(asked));
  const isTurn = asked === undefined || asked === "";
  return {
    taken: groupNames.filter((name) => chosen.has(name)),
    leftOut: groupNames.filter((name) => !chosen.has(name)),
    forced: isTurn ? groupNames.filter((name) => changed.includes(name) && !turn.includes(name)) : [],
  };
}

function groupsIn(asked: string): readonly GroupName[] {
  if (asked === "all") return groupNames;
  if (asked === "none") return [];
  const names = asked.split(/[\s,]+/).filter((name) => name !== "");
  const unknown = names.filter((name) => !isGroup(name));
  if (unknown.length > 0)
    throw new Error(`ROTATION names no group: ${unknown.join(", ")}; there are all, none, ${groupNames.join(", ")}`);
  return names.filter(isGroup);
}

/** The lines that a run begins with. */
export function rotationText({ taken, leftOut, forced }: Rotation, from: string): string {
  const list = (names: readonly GroupName[]): string => (names.length === 0 ? "none" : names.join(", "));
  const because = forced.length === 0 ? "" : ` (changed since they last passed: ${list(forced)})`;
  return `rotation: ${list(taken)} of ${from}${because}; left out: ${list(leftOut)}`;
}
