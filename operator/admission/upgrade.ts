// What is judged, and warned of, where a change of a Database begins a major upgrade, takes it back, or confirms it (ADR 48).
import { majorOf } from "../../contract/versions";
import type { Catalogue } from "../api/catalogue";
import type { DatabaseSpec } from "../api/spec";
import type { DatabaseStatus } from "../api/status";
import { majorStepProblem } from "../reconcile/upgrade-begin";
import { goneText, lossText, removalText } from "../reconcile/upgrade-texts";

/** What the status said of the Database before the change. */
export type Ran = Pick<DatabaseStatus, "version" | "upgrade">;

/** A change of one that is there. */
export interface Step {
  /** Of the Database. */
  readonly name: string;
  readonly before: DatabaseSpec;
  readonly after: DatabaseSpec;
  readonly ran: Ran;
}

/** The version that would be left by a major upgrade; undefined where none would begin. */
export function leftBy({ before, after, ran: { version, upgrade } }: Step): string | undefined {
  if (version === undefined || upgrade !== undefined || before.version === after.version) return undefined;
  return before.engine === after.engine && majorOf(version) !== majorOf(after.version) ? version : undefined;
}

/** The version that members run until an upgrade to the one that is asked for is complete; undefined where they run that one. */
export function runsMeanwhile(step: Step): string | undefined {
  const { version, upgrade } = step.ran;
  if (upgrade === undefined) return leftBy(step);
  return version === upgrade.from && step.after.version === upgrade.to ? version : undefined;
}

/** Whether a version is one of the two of an upgrade in progress: its image is known, whatever the catalogue has. */
export const isOfUpgrade = ({ upgrade }: Ran, version: string): boolean =>
  upgrade?.from === version || upgrade?.to === version;

/** Why no upgrade leads there. */
export function upgradeProblems(step: Step, catalogue: Catalogue | undefined): readonly string[] {
  const from = leftBy(step);
  const problem =
    from === undefined || catalogue === undefined ? returnProblem(step) : majorStepProblem(from, step.after, catalogue);
  return problem === undefined ? [] : [`spec.version: ${problem}`];
}

function returnProblem({ name, before, after, ran: { upgrade } }: Step): string | undefined {
  if (upgrade?.wayBack !== "Gone" || before.version === after.version || after.version !== upgrade.from)
    return undefined;
  return `${goneText({ ...upgrade, name })}; write ${upgrade.to}`;
}

/** What its author may not expect. */
export const upgradeWarnings = (step: Step): readonly string[] => [
  ...ofBeginning(step),
  ...ofReturn(step),
  ...ofConfirmation(step),
  ...ofPause(step),
];

function ofBeginning(step: Step): readonly string[] {
  const from = leftBy(step);
  if (from === undefined) return [];
  const { version: to, upgrade } = step.after;
  const isEarly = upgrade?.confirmed === to;
  return [
    `spec.version: a major upgrade from ${from} to ${to} begins: it is rehearsed, and then, without another question, the database is down for the time in status.upgrade.announcedSeconds; version: "${from}" takes it back until spec.upgrade.confirmed is "${to}"`,
    ...(isEarly ? [earlyText(to)] : []),
  ];
}

const earlyText = (version: string): string =>
  `spec.upgrade.confirmed: is "${version}" before that version is known to run, and confirms nothing: remove it, and write it then`;

/** Members have taken writes with the newer files once these are the ones that are declared. */
function ofReturn({ before, after, ran: { version, upgrade } }: Step): readonly string[] {
  if (upgrade === undefined || before.version === after.version || after.version !== upgrade.from) return [];
  return version === upgrade.to
    ? [
        `spec.version: back to ${upgrade.from}: all members stop, and the former files are put back; ${lossText(upgrade)}`,
      ]
    : [];
}

function ofConfirmation({ before, after, ran: { version, upgrade } }: Step): readonly string[] {
  const confirmed = after.upgrade?.confirmed;
  if (upgrade === undefined || confirmed === before.upgrade?.confirmed || confirmed !== after.version) return [];
  if (upgrade.phase !== "AwaitingConfirmation" && upgrade.phase !== "Removing") return [earlyText(confirmed)];
  return confirmed === version && upgrade.phase === "AwaitingConfirmation"
    ? [`spec.upgrade.confirmed: ${removalText(upgrade, confirmed)}`]
    : [];
}

const stopped: ReadonlySet<string> = new Set(["Gathering", "Stopping", "Converting", "Starting"]);

function ofPause({ before, after, ran: { upgrade } }: Step): readonly string[] {
  if (upgrade === undefined || !after.paused || before.paused || !stopped.has(upgrade.phase)) return [];
  return [
    `spec.paused: the major upgrade stays where it is (${upgrade.phase}) until this is false: members that have stopped do not start before that`,
  ];
}
