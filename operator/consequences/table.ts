// What a change of a Database means for people who use it: a table of which each row looks at one thing, the weightiest first. Pure.
import type { PlannedStep } from "../domain/runner";
import { deletionPolicy, readOnlyAccess, superuserAccess, tls, tlsInSteps } from "./access";
import { archive } from "./archive";
import { factsOf, isOnItsWay, isStopped, type Circumstances, type Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";
import { filling } from "./filling";
import { backupAtOnce, backupPods, backupSchedule, drillSchedule, initialization } from "./jobs";
import { creation, growth, lostWorkload, removedPrimary, shrinkage } from "./members";
import { commits, parameters } from "./parameters";
import { backupPlace, noMoreBackups, retention, unconfirmedCommits } from "./protection";
import { handover, heldRestarts, restartingMembers, restartsOfAll, standstill } from "./restarts";
import { outsideAccess } from "./services";
import { backupVolume, dataVolumes, replacements } from "./volumes";

type Row = (at: Facts) => readonly Consequence[];

/** What is looked at where the database runs, by the name of the row. Nothing happens where no row says anything. */
export const rows = {
  filling,
  replacements,
  lostWorkload,
  heldRestarts,
  restarts: restartsOfAll,
  standstill,
  handover,
  growth,
  shrinkage,
  removedPrimary,
  retention,
  noMoreBackups,
  backupPlace,
  unconfirmedCommits,
  archive,
  parameters,
  commits,
  dataVolumes,
  backupVolume,
  backupSchedule,
  backupPods,
  drillSchedule,
  backupAtOnce,
  initialization,
  readOnlyAccess,
  outsideAccess,
  superuserAccess,
  tls,
  tlsInSteps,
  deletionPolicy,
} as const satisfies Readonly<Record<string, Row>>;
export type RowName = keyof typeof rows;

/** What counts while the Database is paused, too: a deletion reads its policy. */
const ignoresPause = (name: string): boolean => name === ("deletionPolicy" satisfies RowName);

const pause = "spec.paused is true";
const held = (one: Consequence): Consequence => ({ ...one, waitsFor: pause });

/** One sentence each. Empty where nothing happens. */
export function consequencesOf(steps: readonly PlannedStep[], circumstances: Circumstances): Consequence[] {
  const at = factsOf(steps, circumstances);
  const heldBy = (name: string): ((one: Consequence) => Consequence) =>
    at.isPaused && !ignoresPause(name) ? held : (one) => one;
  const upgrade = (at.upgrade ?? []).map(heldBy("upgrade"));
  if (!at.exists) return [...upgrade, ...creation(at).map(heldBy("creation"))];
  if (at.isRebuilt) return [...upgrade, heldBy("adoption")(adoption)];
  const found = Object.entries<Row>(rows).flatMap(([name, row]) => row(at).map(heldBy(name)));
  return [...upgrade, ...found, ...stillness(found, at)];
}

/** Whether members restart shows only once the state is there. */
const adoption: Consequence = {
  effect: "CannotBeTold",
  members: [],
  message: "what exists is adopted, and changed where it differs; the Jobs run again",
};

/** That members stay as they are is worth a word wherever something happens. */
function stillness(found: readonly Consequence[], at: Facts): Consequence[] {
  const isAnything = found.length > 0 || at.steps.some(({ operation }) => operation !== "same");
  const isOpen = at.workload?.operation === "create" || at.workload?.operation === "replace";
  if (!isAnything || isOpen || isStopped(at) || restartingMembers(at).length > 0) return [];
  return [harmless(`no member restarts${isOnItsWay(at) ? " in this step of the upgrade" : ""}`)];
}
