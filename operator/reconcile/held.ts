// What was accepted is kept up under another release of the operator, where that release's own change waits: no member restarts for it.
import { isDeepStrictEqual } from "node:util";
import { memberTemplateIn } from "../checkpoint/checkpoint";
import type { Desired } from "../domain/desired";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isReleaseLetIn } from "../policy/holding";

export interface Held {
  /** What the record says of the last run, as the release that was agreed to made it. */
  readonly digest: string;
  /** Whether something has to be run that waits for nothing, although nothing drifted. */
  readonly isAsked: boolean;
  /** The members' template as it was declared last; undefined where that is lost. */
  readonly memberTemplate: unknown;
  readonly isHeld: true;
}

type Formed = Pick<StackRecord, "release" | "formedBy">;

/** By which release children are declared from now on: one that is held back forms all but the members' template. */
export const formedNow = (
  { release }: Pick<Ports, "release">,
  { isHeld = false }: { readonly isHeld?: boolean },
): Partial<Formed> => (isHeld ? { formedBy: release } : { release, formedBy: undefined });

/** Whether no other release than this one has restored children meanwhile: who goes back from that one wants nothing of its form. */
export const isOfOneForm = ({ formedBy }: Formed, { release }: Pick<Ports, "release">): boolean =>
  formedBy === undefined || formedBy === release;

/** A digest that no desired state has: what the last run was for is not known any more. */
const unfinished = "unfinished";

/**
 * Undefined where nothing of the release is held back. `digest`: of what is kept up, as this release would make it. `waits`: whether a change
 * waits, be it by a policy that comes with it.
 */
export function heldRelease(
  known: StackRecord | undefined,
  desired: Desired,
  digest: string,
  { at, waits }: { readonly at: Pick<Ports, "release" | "changes">; readonly waits: boolean },
): Held | undefined {
  if (known?.checkpoint === undefined || known.digest === digest || known.release === at.release) return undefined;
  if ((!waits && isReleaseLetIn(known, at)) || isOnItsWay(known, desired)) return undefined;
  return {
    digest: known.digest ?? unfinished,
    isAsked: known.digest === undefined || !isUpToDate(known, desired),
    memberTemplate: memberTemplateIn(known.checkpoint.text()),
    isHeld: true,
  };
}

/**
 * What has begun, and may have members stopped, or be half in the template, comes to its end, unless it was harmless; and before a deletion no
 * member is restarted.
 */
const isOnItsWay = ({ upgrade, accepted, agreed }: StackRecord, { finalBackup }: Desired): boolean =>
  (accepted === undefined && agreed?.hasWaited !== false) ||
  finalBackup !== undefined ||
  (upgrade !== undefined && upgrade.phase !== "AwaitingConfirmation");

/** Whether retention spares those backups already that it must spare, and volumes have grown as far as they must. */
function isUpToDate(
  { keptBackups: spared = [], declared }: StackRecord,
  { keptBackups = spared, spec }: Desired,
): boolean {
  return isDeepStrictEqual(spared, keptBackups) && declared?.storage === spec.storage;
}
