// Volumes that grow, and objects that would be recreated with what is in them. Pure.
import { backupClaimName, dataClaimName, memberName, stagingClaimName } from "../../components/naming";
import { harmfulIn, type FieldChange, type PlannedStep } from "../domain/runner";
import { stayingMembers, type Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";

const growth = "while the database runs, where the StorageClass allows it";
const isGrowth = ({ path }: FieldChange): boolean => path === "spec.resources.requests.storage";

const grownClaims = ({ steps }: Facts): readonly PlannedStep[] =>
  steps.filter(
    ({ kind, operation, fields }) =>
      kind === "PersistentVolumeClaim" && operation === "update" && fields.some(isGrowth),
  );

export function dataVolumes(at: Facts): Consequence[] {
  const others = [backupClaimName(at.name), stagingClaimName(at.name)];
  const grown = grownClaims(at).filter(({ name }) => !others.includes(name));
  if (grown.length === 0) return [];
  return [harmless(`${grown.length === 1 ? "the data volume grows" : "the data volumes grow"} ${growth}`)];
}

export function backupVolume(at: Facts): Consequence[] {
  const isGrown = grownClaims(at).some(({ name }) => name === backupClaimName(at.name));
  return isGrown ? [harmless(`the backup volume grows ${growth}`)] : [];
}

/** What is said where an object that must stay would be replaced. */
export const replacementText = ({ kind, name }: Pick<PlannedStep, "kind" | "name">): string =>
  `${kind} ${name} would be deleted and recreated: do not apply this`;

export function replacements(at: Facts): Consequence[] {
  return harmfulIn(at.steps).map((step) => {
    const message = replacementText(step);
    if (step.kind === "StatefulSet") return { effect: "Downtime", members: stayingMembers(at), message };
    return { effect: "DataLoss", members: ownerOf(step, at), message };
  });
}

/** The member whose data are in a claim. */
function ownerOf({ kind, name }: PlannedStep, at: Facts): string[] {
  if (kind !== "PersistentVolumeClaim") return [];
  const ordinal = Number(/-(\d+)$/.exec(name)?.[1]);
  return name === dataClaimName(at.name, ordinal) ? [memberName(at.name, ordinal)] : [];
}
