// All invariants, and the report on them: one line each, green or red, with what is wrong below.
import pc from "picocolors";
import { alive } from "./alive";
import { children } from "./children";
import { conditions } from "./conditions";
import { events } from "./events";
import { finalizer } from "./finalizer";
import { leftovers } from "./leftovers";
import { orphans } from "./orphans";
import { quiet } from "./quiet";
import { reach } from "./reach";
import { secrets } from "./secrets";
import type { Invariant, Snapshot } from "./snapshot";
import { state } from "./state";

export const invariants: readonly Invariant[] = [
  children,
  orphans,
  state,
  finalizer,
  conditions,
  events,
  secrets,
  quiet,
  reach,
  leftovers,
  alive,
];

/** What one invariant found: nothing, problems, or that it could not be judged. */
export interface Verdict {
  readonly invariant: Invariant;
  readonly problems: readonly string[] | undefined;
}

export const judge = (snapshot: Snapshot, which = invariants): readonly Verdict[] =>
  which.map((invariant) => ({ invariant, problems: invariant.judge(snapshot) }));

export const isBroken = ({ problems }: Verdict): boolean => problems !== undefined && problems.length > 0;

/** Most problems of one invariant that are shown. */
const shown = 20;

export function reportOf(verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ invariant }) => invariant.name.length));
  return verdicts.flatMap((verdict) => linesOf(verdict, width)).join("\n");
}

function linesOf({ invariant, problems }: Verdict, width: number): string[] {
  const name = invariant.name.padEnd(width);
  if (problems === undefined) return [pc.dim(`- ${name}  not judged: not observed`)];
  if (problems.length === 0) return [`${pc.green("✔")} ${name}  ${pc.dim(invariant.promise)}`];
  const rest = problems.length > shown ? [`    … and ${problems.length - shown} more`] : [];
  return [
    `${pc.red("✖")} ${name}  ${invariant.promise}`,
    ...problems.slice(0, shown).map((problem) => `    ${problem}`),
    ...rest,
  ];
}
