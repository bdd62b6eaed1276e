// What was accepted is kept up under another release of the operator, where that release's own change waits: no member restarts for it.
import { isDeepStrictEqual } from "node:util";
import type { ServerTls } from "../../contract/tls";
import { memberTemplateIn } from "../checkpoint/checkpoint";
import type { Desired } from "../domain/desired";
import type { Ports } from "../domain/ports";
import type { StackRecord, Whole } from "../domain/records";
import { isRecord } from "../objects/json";
import { isReleaseLetIn, type Platform } from "../policy/holding";
import { mergedTemplate } from "./merged-template";
import { membersMode } from "./tls-before";

export interface Held {
  /** What the record says of the last run, as the release that was agreed to made it. */
  readonly digest: string;
  /** Whether something has to be run that waits for nothing, although nothing drifted. */
  readonly isAsked: boolean;
  /** The members' template as it was declared last, with what passes of a change; undefined where that is lost. */
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

interface Holding {
  readonly at: Pick<Ports, "digest" | "memberTemplate"> & Platform;
  /** Whether a change waits, be it by a policy that comes with it. */
  readonly waits: boolean;
  /** Whether `desired` is a change that passes without the release. */
  readonly isBeside: boolean;
}

/** Undefined where nothing of the release is held back. `digest`: of what is kept up, as this release would make it. */
export async function heldRelease(
  known: StackRecord | undefined,
  desired: Desired,
  digest: string,
  { at, waits, isBeside }: Holding,
): Promise<Held | undefined> {
  if (known === undefined || !hasTemplate(known)) return undefined;
  if (known.digest === digest || !isHeldBack(known, { at, waits })) return undefined;
  const kept = isOnItsWay(known, desired) ? undefined : await templateFor(known, desired, at);
  if (kept === undefined) return undefined;
  const applied = isBeside ? undefined : known.digest;
  const isAsked = applied === undefined || !isUpToDate(known, desired);
  return { digest: applied ?? unfinished, isAsked, memberTemplate: kept.template, isHeld: true };
}

/** Whether there is, or was, anything that members could keep. */
const hasTemplate = ({ checkpoint, whole }: StackRecord): boolean => checkpoint !== undefined || whole !== undefined;

/** Whether there is another release, and it may not come in. */
const isHeldBack = (known: StackRecord, { at, waits }: Pick<Holding, "at" | "waits">): boolean =>
  known.release !== at.release && (waits || !isReleaseLetIn(known, at));

/**
 * The template that members have to keep under another release, with what `desired` changes of it. Undefined where that cannot be told apart
 * from what the release changes.
 */
export async function templateFor(
  known: StackRecord,
  desired: Desired,
  at: Pick<Ports, "digest" | "memberTemplate">,
): Promise<{ readonly template: unknown } | undefined> {
  const { checkpoint, accepted } = known;
  const { whole = { accepted, template: checkpoint && memberTemplateIn(checkpoint.text()) } } = known;
  // harmless, as far as it is known
  if (whole.accepted === undefined) return { template: whole.template };
  // the mode that members are on their way to is no part of what was accepted
  const present = (): ServerTls => known.tls?.declared ?? membersMode(whole.template, desired.owner.name) ?? "Off";
  const former = desired.tls === undefined ? {} : { tls: present() };
  const before = { ...desired, ...whole.accepted, ...former };
  if (at.digest(before) === at.digest(desired)) return { template: whole.template };
  return mergedTemplate(whole.template, await at.memberTemplate(before), await at.memberTemplate(desired));
}

/** What is to be remembered where a run fails: what there was before the first one that did. */
export function wholeBefore({ whole, accepted, checkpoint }: StackRecord): Whole | undefined {
  if (whole !== undefined || accepted === undefined || checkpoint === undefined) return whole;
  const template = memberTemplateIn(checkpoint.text());
  return isRecord(template) ? { accepted, template } : undefined;
}

/**
 * What has begun, and may have members stopped, or be half in the template, comes to its end, unless it was harmless, or can be told apart from
 * the release; and before a deletion no member is restarted.
 */
const isOnItsWay = ({ upgrade, accepted, whole, agreed }: StackRecord, { finalBackup }: Desired): boolean =>
  (accepted === undefined && !(agreed?.hasWaited === false || isTold({ whole, agreed }))) ||
  finalBackup !== undefined ||
  (upgrade !== undefined && upgrade.phase !== "AwaitingConfirmation");

/** Whether a change that is half done was let through by no person and no window, and it is known what there was before it. */
export const isTold = ({ whole, agreed }: Pick<StackRecord, "whole" | "agreed">): boolean =>
  whole !== undefined && agreed?.hasWaited !== true;

/** Whether retention spares those backups already that it must spare, and volumes have grown as far as they must. */
function isUpToDate(
  { keptBackups: spared = [], declared }: StackRecord,
  { keptBackups = spared, spec }: Desired,
): boolean {
  return isDeepStrictEqual(spared, keptBackups) && declared?.storage === spec.storage;
}
