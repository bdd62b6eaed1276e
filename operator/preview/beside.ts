// What of a change would be carried out beside a release of the operator that waits, and what of the release keeps waiting then.
import { statefulSetName } from "../../components/naming";
import type { Circumstances } from "../consequences/circumstances";
import type { Consequence } from "../consequences/consequence";
import { differencesIn } from "../consequences/fields";
import { consequencesOf } from "../consequences/table";
import type { Desired } from "../domain/desired";
import type { Ports } from "../domain/ports";
import type { PlannedStep } from "../domain/runner";
import type { Platform } from "../policy/holding";
import { heldRelease } from "../reconcile/held";
import type { Passage } from "../reconcile/passage";
import { policyNote } from "./policy-note";

/** The release of the operator, once the change is carried out without it. */
export interface LeftRelease {
  /** For what it waits, in a sentence. */
  readonly waits: string;
  readonly consequences: readonly Consequence[];
}

export interface CarriedBeside {
  /** What members keep of the former release, with what the change makes of it. */
  readonly memberTemplate: unknown;
  readonly left: LeftRelease;
}

interface Asked {
  readonly passage: Passage;
  /** With what is on record. */
  readonly desired: Desired;
  readonly circumstances: Circumstances;
}

/** Undefined where the change comes with the release, or there is none, or nothing would hold that back once the change is carried out. */
export async function besideIn(
  { passage, desired, circumstances }: Asked,
  at: Pick<Ports, "digest" | "memberTemplate" | "now"> & Platform,
): Promise<CarriedBeside | undefined> {
  if (passage.kind !== "beside") return undefined;
  const held = await heldRelease(passage.record, desired, at.digest(desired), { at, waits: true, isBeside: true });
  if (held?.memberTemplate === undefined) return undefined;
  const { memberTemplate } = held;
  const step = stepOf(circumstances.name, memberTemplate, await at.memberTemplate(desired));
  const consequences = consequencesOf([step], afterIt(circumstances));
  const waits = policyNote(passage.policies, consequences, at.now());
  return waits === undefined ? undefined : { memberTemplate, left: { waits, consequences } };
}

/** All else is declared by the release that waits already. */
function stepOf(name: string, before: unknown, after: unknown): PlannedStep {
  const fields = differencesIn("spec.template", before, after);
  const operation = fields.length === 0 ? "same" : "update";
  return { kind: "StatefulSet", name: statefulSetName(name), operation, retained: false, fields };
}

/** Once the change is carried out: all members have the template that it leaves. */
const afterIt = (at: Circumstances): Circumstances => ({
  ...at,
  asked: [],
  specs: { before: at.specs.after, after: at.specs.after },
  ...{ isRebuilt: false, restore: undefined, phase: undefined, upgrade: [], made: undefined },
});
