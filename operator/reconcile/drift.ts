// Drift: what of the children is no longer as the last run left it, whether it can be restored, and how that is reported.
import { valueOf } from "../api/quantity";
import { backupClaimName, dataClaimNames } from "../../components/naming";
import { childrenIn } from "../checkpoint/checkpoint";
import { namedIn } from "../checkpoint/named";
import type { Desired } from "../domain/desired";
import { stalled, waiting, type Outcome } from "../domain/outcome";
import type { Key } from "../domain/key";
import type { ChildMarks, ChildName, DeclaredChild, Drift, Inspection, ObservedChild } from "../domain/children";
import type { Revision, StackRecord } from "../domain/records";
import type { Ports } from "../domain/ports";

/** What a look at the children found, against the last run's record. */
export interface Look extends Inspection {
  /** Whether there is a state that shows what the children should be. */
  readonly state: "readable" | "unreadable" | "none";
  /** Children that are there as the record says: not another owner's, without asking. */
  readonly trusted: ReadonlySet<ChildName>;
}

/** What is found now, and what a failed run had found of other children: its state may no longer show that. */
export function allDrift(found: readonly Drift[], restoring: readonly Drift[] = []): readonly Drift[] {
  const children = new Set(found.map(({ child }) => child));
  return [...restoring.filter(({ child }) => !children.has(child)), ...found];
}

const nothing: Inspection = { drift: [], conflicts: [], terminating: [] };

/** Compares the children with what the last run left: by the watches first, and where those differ by reading again. */
export async function lookAtChildren(
  key: Key,
  record: StackRecord | undefined,
  stack: string,
  at: Pick<Ports, "world" | "children">,
): Promise<Look> {
  if (record?.checkpoint === undefined) return { ...nothing, state: "none", trusted: new Set() };
  const { checkpoint } = record;
  const { marks } = checkpoint;
  if (marks === undefined) return { ...nothing, state: "unreadable", trusted: new Set() };
  const observed = at.world.children(key);
  const suspects = new Set(suspectsOf(marks, observed));
  const strangers = [...observed].flatMap(([child, seen]) => (isStranger(child, seen, marks) ? [child] : []));
  const trusted = new Set([...marks.keys()].filter((child) => !suspects.has(child)));
  if (suspects.size + strangers.length === 0) return { ...nothing, state: "readable", trusted };
  const declared = [...(childrenIn(checkpoint.text(), stack) ?? [])].filter(([child]) => suspects.has(child));
  const [found, surplus] = await Promise.all([
    at.children.inspect(key, new Map<ChildName, DeclaredChild>(declared)),
    at.children.existing(key, strangers),
  ]);
  const foreign = new Set(found.conflicts);
  for (const child of suspects) if (!foreign.has(child)) trusted.add(child);
  return { ...found, drift: [...found.drift, ...surplus.map(surplusOf)], state: "readable", trusted };
}

/** Whether it is there, as a run gives it and no data, and the stored state does not know it. */
function isStranger(child: ChildName, { disposable, terminating }: ObservedChild, marks: ChildMarks): boolean {
  return disposable && !terminating && !marks.has(child);
}

const surplusOf = (child: ChildName): Drift => ({ child, urn: "", kind: "surplus", fields: [], by: undefined });

function suspectsOf(marks: ChildMarks, observed: ReadonlyMap<ChildName, ObservedChild>): ChildName[] {
  return [...marks].flatMap(([child, mark]) => {
    const seen = observed.get(child);
    // one that is on its way out can be created again once it is gone: the watch shows that
    if (seen?.terminating === true && seen.uid === mark.uid) return [];
    return seen?.uid === mark.uid && seen.applied === mark.applied ? [] : [child];
  });
}

/** What of the drift a run did not take into the state: nothing declares it. */
export function undeclared(drift: readonly Drift[], marks: ChildMarks | undefined): ChildName[] {
  if (marks === undefined) return [];
  return drift.flatMap(({ kind, child }) => (kind === "surplus" && !marks.has(child) ? [child] : []));
}

/** How long the same edit is undone at once, and how long the pauses grow, in milliseconds. */
const patienceRepairs = 5;
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
/** Repairs that are longer ago do not count, in milliseconds. */
const memoryMs = 3_600_000;

/** Why the drift must not be undone now; undefined where it may. */
export function refuseRepair(drift: readonly Drift[], desired: Desired, hasPrimary: boolean): Outcome | undefined {
  const { name } = desired.owner;
  const grown = drift.find((one) => isGrown(one, desired));
  if (grown?.size !== undefined) {
    const field = grown.child === backupClaim(name) ? "spec.backup.destination.volume.size" : "spec.storage";
    const message = `${grown.child} asks for ${grown.size} now, and volumes cannot shrink: write ${field}: ${inGibibytes(grown.size)}`;
    return stalled("VolumeGrown", message);
  }
  // until a restore is done, the others are empty
  const filled = desired.restore === undefined ? desired.spec.replicas : 1;
  const claims = dataClaimNames(name, filled).map(claimText);
  const lost = new Set(drift.filter(isLost).map(({ child }) => child));
  if (hasPrimary || !claims.every((claim) => lost.has(claim))) return undefined;
  const message = `every data volume was deleted (${claims.join(", ")}); no empty ones are created in their place: restore a backup, or delete the Database and create it again to start empty`;
  return stalled("VolumesLost", message);
}

const isGrown = ({ child, size }: Drift, desired: Desired): boolean =>
  size !== undefined && valueOf(size) > valueOf(wantedSize(child, desired));

/** The look without volumes that were grown by hand: nothing can shrink them. */
export const withoutGrown = (look: Look, desired: Desired): Look => ({
  ...look,
  drift: look.drift.filter((one) => !isGrown(one, desired)),
});

/** The look without what only a former template of members names, and they keep that: it goes once they have another one. */
export function withoutNamed(look: Look, template: unknown): Look {
  const named = namedIn(template);
  return { ...look, drift: look.drift.filter(({ kind, child }) => kind !== "surplus" || !named.has(child)) };
}

/**
 * Of a claim: whether what was on its volume has gone with it. One from a StatefulSet's controller is empty; one that another client put in
 * its place, and labelled as it was, has been restored.
 */
const isLost = ({ kind, by }: Drift): boolean =>
  kind === "deleted" || (kind === "replaced" && by !== undefined && kubernetesItself.has(by));

/** What the programs that Kubernetes' own controllers run in call themselves as field managers: k3s and microk8s have one program for all. */
const kubernetesItself: ReadonlySet<string> = new Set(["kube-controller-manager", "k3s", "kubelite"]);

const claimText = (claim: string): ChildName => `PersistentVolumeClaim ${claim}`;
const backupClaim = (name: string): ChildName => claimText(backupClaimName(name));

/** Of a claim for data or backups. */
export function wantedSize(child: ChildName, { owner, spec }: Desired): string {
  return child === backupClaim(owner.name) ? (spec.backup.destination?.volume?.size ?? spec.storage) : spec.storage;
}

const inGibibytes = (size: string): string => `${Math.ceil(valueOf(size) / 2 ** 30)}Gi`;

/**
 * The pause before an edit is undone that was undone often already: a controller that insists, such as an
 * autoscaler on the StatefulSet, must not keep Pulumi busy. Undefined where it may be undone now.
 */
export function pauseBeforeRepair(
  drift: readonly Drift[],
  history: readonly Revision[],
  now: Date,
): Outcome | undefined {
  const texts = drift.map(textOf);
  const fights = history.filter(
    ({ at, putBack }) =>
      now.getTime() - Date.parse(at) < memoryMs &&
      putBack !== undefined &&
      texts.every((text) => putBack.includes(text)),
  );
  const [last] = fights;
  if (last === undefined || fights.length < patienceRepairs) return undefined;
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (fights.length - patienceRepairs));
  const left = Date.parse(last.at) + pause - now.getTime();
  if (left <= 0) return undefined;
  const message = `${texts.join("; ")}: restored ${fights.length} times already, and changed again; it will be restored in ${Math.ceil(left / 1000)} s. Change the Database instead, or stop whatever keeps changing its children`;
  return waiting("DriftRepeated", message, left);
}

/** One drift as a line for people; equal for equal edits. */
export function textOf({ child, kind, fields, by }: Drift): string {
  const who = by === undefined ? "" : ` by ${by}`;
  switch (kind) {
    case "deleted":
      return `${child} was deleted`;
    case "replaced":
      return `${child} was recreated${who}`;
    case "edited":
      return `${child} was edited${who}: ${fieldsText(fields)}`;
    case "outdated":
      return `${child} differs from the stored state`;
    case "surplus":
      return `${child} exists but is missing from the stored state`;
  }
}

const maxFields = 5;

function fieldsText(fields: readonly string[]): string {
  const shown = fields.slice(0, maxFields).join(", ");
  return fields.length > maxFields ? `${shown} and ${fields.length - maxFields} more` : shown;
}
