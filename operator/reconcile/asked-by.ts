// Whether a change is asked for by the Database itself, or by what it refers to and the platform: by what either asks for. Pure.
import { isDeepStrictEqual } from "node:util";
import type { DatabaseMetadata } from "../api/object";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import type { Ports } from "../domain/ports";
import type { Revision, StackRecord } from "../domain/records";

/** What is carried out, and by what it is told. */
export interface Carried {
  readonly change: {
    readonly isAsked: boolean;
    readonly takenOver: boolean;
    readonly isHeld?: boolean;
    /** Whether members get another mode of TLS, which is never the platform's wish. Missing: they do not. */
    readonly isTlsStep?: boolean;
  };
  readonly metadata: Pick<DatabaseMetadata, "generation">;
  readonly desired: Desired;
  /** Undefined where what was accepted before is kept up. */
  readonly wish: string | undefined;
  /** Of the code that carries it out. */
  readonly release: string;
  /** Of all that children show. */
  readonly digestOf: Ports["digest"];
}

export const isFirst = ({ history }: StackRecord, { change }: Pick<Carried, "change">): boolean =>
  history.length === 0 || change.takenOver;

export const isOfSameEdit = (record: StackRecord, carried: Pick<Carried, "change" | "metadata">): boolean =>
  !isFirst(record, carried) && record.history[0]?.generation === carried.metadata.generation;

/** Whether it is what had been let through, and was half done, while something else waits. */
export const isFinished = (
  { accepted, agreed }: StackRecord,
  { change, wish }: Pick<Carried, "change" | "wish">,
): boolean => change.isAsked && wish === undefined && accepted === undefined && agreed?.accepted !== undefined;

export const isOtherRelease = (record: StackRecord, carried: Pick<Carried, "change" | "release">): boolean =>
  !isFirst(record, carried) &&
  carried.change.isHeld !== true &&
  [record.release, record.formedBy ?? record.release].some((one) => one !== carried.release);

/** Whether the Database asks for what it asked for before: edits that come to no run, or were taken back, have counted its generation up. */
export function isAsBefore(record: StackRecord, carried: Carried): boolean {
  const before = isFirst(record, carried) ? [] : formerOf(record);
  return before.length > 0 && before.every((one) => one !== undefined && asksForSame(one, carried));
}

/** What came through last; after a run that failed also what that was to do, as half of it may be there. */
const formerOf = ({ accepted, agreed }: StackRecord): readonly (Accepted | undefined)[] =>
  accepted === undefined ? [agreed?.accepted, agreed?.former?.accepted] : [accepted];

function asksForSame(before: Accepted, { desired, digestOf }: Carried): boolean {
  const { owner, serviceMonitors } = desired;
  const own = ({ spec }: Accepted): string => digestOf({ owner, spec, image: "", config: {}, serviceMonitors });
  return own(before) === own(desired) && hasSameParameters(before, desired);
}

/** One that moved to a ConfigMap with its value is as it was; one that has another value is the ConfigMap's, unless the spec says another one. */
function hasSameParameters(before: Accepted, next: Accepted): boolean {
  const isSameSource = isDeepStrictEqual(before.spec.configFrom, next.spec.configFrom);
  const ownOf = (name: string): readonly unknown[] => [before, next].map(({ spec }) => spec.config?.[name]);
  return movedParameters(before, next).every((name) => {
    const [former, present] = ownOf(name);
    return isSameSource && former === present;
  });
}

const movedParameters = ({ config: before }: Accepted, { config: next }: Accepted): readonly string[] =>
  Object.keys({ ...before, ...next }).filter((name) => before[name] !== next[name]);

/** What of the platform asked for it; undefined where the Database itself did. */
export function platformsPart(record: StackRecord, carried: Carried): Pick<Revision, "byPlatform" | "source"> {
  const isOld = isFinished(record, carried) ? false : isOfSameEdit(record, carried);
  if (!carried.change.isAsked || carried.change.isTlsStep === true || !(isOld || isAsBefore(record, carried)))
    return {};
  return { byPlatform: true, source: sourceOf(record, carried) };
}

/** The one that reaches most Databases. What is not known counts as that. */
function sourceOf(record: StackRecord, carried: Carried): NonNullable<Revision["source"]> {
  const { accepted } = record;
  const { desired } = carried;
  if (accepted === undefined || isOtherRelease(record, carried)) return "Release";
  if (accepted.image !== desired.image) return "Catalogue";
  return movedParameters(accepted, desired).length > 0 ? "ConfigMap" : "Catalogue";
}
