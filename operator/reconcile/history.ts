// What is remembered of each change: pure.
import { isDeepStrictEqual } from "node:util";
import { companionFieldManager } from "../../components/naming";
import { revisionLimits } from "../api/revisions/limits";
import { DatabaseSpec } from "../api/spec";
import type { Accepted } from "../domain/accepted";
import type { Drift } from "../domain/children";
import { longestHistory, longestTold, type Revision, type StackRecord, type Told } from "../domain/records";
import { shortened } from "../domain/shortened";
import { authorIn, type Authored } from "../policy/approval";
import { differencesOf, release } from "../policy/shown";
import {
  isAsBefore,
  isFinished,
  isFirst,
  isOfSameEdit,
  isOtherRelease,
  platformsPart,
  type Carried as Compared,
} from "./asked-by";
import { textOf } from "./drift";

interface Carried extends Compared {
  readonly change: {
    readonly digest: string;
    readonly by: string;
    readonly drift: readonly Drift[];
    readonly isAsked: boolean;
    /** Whether the record is of another object of this name. */
    readonly takenOver: boolean;
    /** Whether another release waits to be agreed to. Missing: none does. */
    readonly isHeld?: boolean;
  };
  readonly summary: string;
  readonly seconds: number;
  readonly at: Date;
  /** Of the Database. */
  readonly metadata: Authored;
  /** Whether what admission wrote of authors is held to the truth: else all who may write Databases could write it. */
  readonly areAuthorsKnown: boolean;
  /** Why members are restarted; undefined where they are not. */
  readonly restarts: string | undefined;
  /** The number of the last change that is known of elsewhere: the record may have been lost. */
  readonly last: number;
}

/** The history with an entry for a change that was applied now, the newest first. */
export function withRevision(record: StackRecord, carried: Carried): readonly [Revision, ...Revision[]] {
  // those of a former Database of the name are no revisions of this one
  const told = carried.change.takenOver ? 0 : longestTold - 1;
  const before = record.history
    .slice(0, longestHistory - 1)
    .map((one, index) => (index < told ? one : withoutTold(one)));
  return [revisionOf(record, carried), ...before];
}

const withoutTold = (revision: Revision): Revision => ({ ...revision, told: undefined });

function revisionOf(record: StackRecord, carried: Carried): Revision {
  const { change, summary, seconds, at, metadata, restarts, last } = carried;
  const { history } = record;
  const { drift } = change;
  const { generation } = metadata;
  const told = toldOf(record, carried);
  return {
    revision: Math.max(history[0]?.revision ?? 0, last) + 1,
    at: at.toISOString(),
    seconds,
    digest: change.digest,
    ...(told.origin === "Repair" ? repairOf(drift, summary) : { summary, by: managerOf(carried) }),
    ...(drift.length > 0 && { putBack: drift.map(textOf) }),
    ...(restarts !== undefined && { restarts }),
    generation,
    ...platformsPart(record, carried),
    told,
  };
}

/** The edit of which the manager is known is the one that cannot be had, where what was accepted is kept up. */
const managerOf = ({ change, wish }: Carried): string => (wish === undefined ? "" : change.by);

/** What was restored, and who had changed it. */
function repairOf(drift: readonly Drift[], summary: string): Pick<Revision, "summary" | "by"> {
  const changers = new Set(drift.flatMap(({ by }) => (by === undefined ? [] : [by])));
  const children = drift.map(({ child }) => child).join(", ");
  return { summary: `restored: ${children || summary}`, by: [...changers].join(", ") };
}

function toldOf(record: StackRecord, carried: Carried): Told {
  const common = formOf(record, carried);
  const changes = changesSince(record, carried);
  const origin = originOf(record, carried, changes);
  if (origin === "Repair") return { origin, changes: [], ...common };
  const plan = planIn(record, carried);
  const author = origin === "Spec" ? authorOf(record, carried, { plan, changes }) : undefined;
  return {
    ...{ origin, changes, ...common },
    ...(isFinished(record, carried) && plan?.generation !== undefined && { generation: plan.generation }),
    ...(author !== undefined && { author: shortened(author, revisionLimits.user) }),
    ...(plan !== undefined && { approval: approvalOf(plan) }),
  };
}

/** Of what is there now, and by which release members are declared. */
function formOf(
  { release: former }: StackRecord,
  { desired: { spec, image }, change, release }: Carried,
): Partial<Told> {
  const formed = change.isHeld === true ? former : release;
  const isKept = Buffer.byteLength(JSON.stringify(spec)) <= revisionLimits.template;
  return { image, ...(formed !== undefined && { release: formed }), ...(isKept && { template: spec }) };
}

type Changes = Told["changes"];

function originOf(record: StackRecord, carried: Carried, changes: Changes): Told["origin"] {
  const { change } = carried;
  const isStep = isNextStep(record, carried, changes);
  if (!change.isAsked || (isStep && change.drift.length > 0)) return "Repair";
  if (isStep) return record.history[0]?.told?.origin === "Spec" ? "Spec" : "Platform";
  return isPersons(record, carried) ? "Spec" : "Platform";
}

function isPersons(record: StackRecord, carried: Carried): boolean {
  if (isFirst(record, carried)) return true;
  if (isFinished(record, carried)) return !isAsBefore(record, carried);
  // its phases are of one wish, whatever they declare
  if (carried.desired.upgrade !== undefined && !isOtherRelease(record, carried)) return true;
  if (isOfSameEdit(record, carried)) return false;
  // who takes back what failed asks for something, too
  return !isAsBefore(record, carried);
}

/** Whether it only leads on to what was asked for before, as after data were restored, or repeats what failed. */
function isNextStep(record: StackRecord, carried: Carried, changes: Changes): boolean {
  const { keptBackups = [] } = carried.desired;
  const isSpared = isDeepStrictEqual(record.keptBackups ?? [], keptBackups);
  return isOfSameEdit(record, carried) && changes.length === 0 && isSpared;
}

interface Asked {
  readonly plan: Plan | undefined;
  readonly changes: Changes;
}

function authorOf(record: StackRecord, carried: Carried, { plan, changes }: Asked): string | undefined {
  const { metadata, change, areAuthorsKnown } = carried;
  if (!areAuthorsKnown) return undefined;
  if (plan?.author !== undefined) return plan.author;
  if (isNextStep(record, carried, changes)) return record.history[0]?.told?.author;
  // a companion is translated by the operator: who changed it is not known; and the present edit is not what is finished
  const isKnown = change.by !== companionFieldManager && !isFinished(record, carried);
  return isKnown ? authorIn(metadata) : undefined;
}

type Plan = NonNullable<NonNullable<StackRecord["agreed"]>["plan"]>;

/** That of what is carried out, and of nothing that was before it. */
function planIn(record: StackRecord, carried: Carried): Plan | undefined {
  const { agreed } = record;
  return isFinished(record, carried) || agreed?.wish === carried.wish ? agreed?.plan : undefined;
}

const approvalOf = ({ plan, effect, consequences, by }: Plan): NonNullable<Told["approval"]> => ({
  ...{ plan, effect, consequences },
  ...(by !== undefined && { by: shortened(by, revisionLimits.user) }),
});

/** None of a creation: the spec says it all. Another release first: restarts that no field explains come from it. */
function changesSince(record: StackRecord, carried: Carried): Changes {
  const before = record.accepted ?? lastTold(record);
  if (isFirst(record, carried)) return [];
  const found = before === undefined ? [] : differencesOf(before, carried.desired);
  return [...(isOtherRelease(record, carried) ? [release] : []), ...found].slice(0, revisionLimits.changes);
}

/** What was accepted is not known after a run that failed. */
function lastTold({ history }: StackRecord): Accepted | undefined {
  const told = history[0]?.told;
  const spec = DatabaseSpec.safeParse(told?.template).data;
  return spec && { spec, image: told?.image ?? "", config: spec.config ?? {} };
}
