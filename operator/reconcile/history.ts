// What is remembered of each change: pure.
import { companionFieldManager } from "../../components/naming";
import { revisionLimits } from "../api/revisions/limits";
import { DatabaseSpec } from "../api/spec";
import type { Accepted } from "../domain/accepted";
import type { Drift } from "../domain/children";
import type { Desired } from "../domain/desired";
import { longestHistory, longestTold, type Revision, type StackRecord, type Told } from "../domain/records";
import { shortened } from "../domain/shortened";
import { authorIn, type Authored } from "../policy/approval";
import { differencesOf, release } from "../policy/shown";
import { textOf } from "./drift";

interface Carried {
  readonly change: {
    readonly digest: string;
    readonly by: string;
    readonly drift: readonly Drift[];
    readonly isAsked: boolean;
  };
  readonly summary: string;
  readonly seconds: number;
  readonly at: Date;
  /** Of the Database. */
  readonly metadata: Authored;
  /** Why members are restarted; undefined where they are not. */
  readonly restarts: string | undefined;
  readonly desired: Desired;
  /** What was asked for, as a digest; undefined where what was accepted before is kept up. */
  readonly wish: string | undefined;
  /** The number of the last change that is known of elsewhere: the record may have been lost. */
  readonly last: number;
}

/** The history with an entry for a change that was applied now, the newest first. */
export function withRevision(record: StackRecord, carried: Carried): readonly [Revision, ...Revision[]] {
  const before = record.history
    .slice(0, longestHistory - 1)
    .map((one, index) => (index < longestTold - 1 ? one : withoutTold(one)));
  return [revisionOf(record, carried), ...before];
}

const withoutTold = (revision: Revision): Revision => ({ ...revision, told: undefined });

function revisionOf(record: StackRecord, carried: Carried): Revision {
  const { change, summary, seconds, at, metadata, restarts, last, desired } = carried;
  const { history } = record;
  const { drift } = change;
  const { generation } = metadata;
  const byPlatform = change.isAsked && (history[0]?.generation === generation || isAsBefore(record, desired));
  return {
    revision: Math.max(history[0]?.revision ?? 0, last) + 1,
    at: at.toISOString(),
    seconds,
    digest: change.digest,
    ...(change.isAsked ? { summary, by: change.by } : repairOf(drift, summary)),
    ...(drift.length > 0 && { putBack: drift.map(textOf) }),
    ...(restarts !== undefined && { restarts }),
    generation,
    ...(byPlatform && { byPlatform }),
    told: toldOf(record, carried, byPlatform),
  };
}

/** Edits of these come to no run. */
const runless = /^spec\.(changePolicy|paused|storageAutoGrow|upgrade)\b/;

/** Whether the Database itself asks for what ran: edits that come to no run, or were taken back, have counted its generation up. */
const isAsBefore = ({ accepted }: StackRecord, desired: Desired): boolean =>
  accepted !== undefined &&
  differencesOf(accepted, desired).every(({ path }) => !path.startsWith("spec.") || runless.test(path));

/** What was restored, and who had changed it. */
function repairOf(drift: readonly Drift[], summary: string): Pick<Revision, "summary" | "by"> {
  const changers = new Set(drift.flatMap(({ by }) => (by === undefined ? [] : [by])));
  const children = drift.map(({ child }) => child).join(", ");
  return { summary: `restored: ${children || summary}`, by: [...changers].join(", ") };
}

function toldOf(record: StackRecord, { change, metadata, desired, wish }: Carried, byPlatform: boolean): Told {
  const { spec, image } = desired;
  const isKept = JSON.stringify(spec).length <= revisionLimits.template;
  const common = { image, ...(isKept && { template: spec }) };
  if (!change.isAsked) return { origin: "Repair", changes: [], ...common };
  const plan = planIn(record, wish);
  // a companion is translated by the operator: who changed it is not known
  const isKnown = !byPlatform && change.by !== companionFieldManager;
  const author = isKnown ? (plan?.author ?? authorIn(metadata)) : undefined;
  return {
    origin: byPlatform ? "Platform" : "Spec",
    changes: changesSince(record, desired),
    ...common,
    ...(author !== undefined && { author: shortened(author, revisionLimits.user) }),
    ...(plan !== undefined && { approval: approvalOf(plan) }),
  };
}

type Plan = NonNullable<NonNullable<StackRecord["agreed"]>["plan"]>;

/** That of what is carried out, and of nothing that was before it. */
const planIn = ({ agreed }: StackRecord, wish: string | undefined): Plan | undefined =>
  agreed?.wish === wish ? agreed?.plan : undefined;

const approvalOf = ({ plan, effect, consequences, by }: Plan): NonNullable<Told["approval"]> => ({
  ...{ plan, effect, consequences },
  ...(by !== undefined && { by: shortened(by, revisionLimits.user) }),
});

/** None of a creation: the spec says it all. */
function changesSince(record: StackRecord, desired: Desired): Told["changes"] {
  const before = record.accepted ?? lastTold(record);
  if (before === undefined) return [];
  const found = differencesOf(before, desired);
  return found.length === 0 && record.history.length > 0 ? [release] : found.slice(0, revisionLimits.changes);
}

/** What was accepted is not known after a run that failed. */
function lastTold({ history }: StackRecord): Accepted | undefined {
  const told = history[0]?.told;
  const spec = DatabaseSpec.safeParse(told?.template).data;
  return spec && { spec, image: told?.image ?? "", config: spec.config ?? {} };
}
