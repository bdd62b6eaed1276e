// The objects of a Database: what previews say that becomes of them, held against what became of them. Pure.
import type { PlannedStep } from "../../operator/domain/runner";
import { partsOf } from "../../operator/objects/paths";
import type { Plan } from "../../operator/preview/plan";
import { changesBetween, isSame, leavesIn, type LeafChange, type Leaves } from "./leaves";

/** What an object is at a moment, as far as the operator declares it. */
export interface ChildState {
  /** Kind and name. */
  readonly child: string;
  readonly uid: string;
  readonly leaves: Leaves;
  /** Another one after each time that the operator changed it, though it changed it back. */
  readonly digest: string;
}

/** What becomes of an object. */
export interface ObjectChange {
  readonly child: string;
  readonly operation: Exclude<PlannedStep["operation"], "same">;
  /** Of an update: what changes; nothing where it was changed and is as before. */
  readonly fields: readonly LeafChange[];
}

/** What previews write in place of a secret value. */
export const masked = "[secret]";

/** What a preview says. Nothing happens to what a pause holds, to what a deletion leaves, and to what a creation finds. */
export function predictedChanges({ steps, isHeld }: Pick<Plan, "steps" | "isHeld">): ObjectChange[] {
  if (isHeld) return [];
  return steps.flatMap(({ kind, name, operation, retained, adopts, fields }): ObjectChange[] => {
    if (operation === "same" || retained || (adopts && fields.length === 0)) return [];
    const isUpdate = operation === "update" || adopts === true;
    const changes = isUpdate ? fields.flatMap(leafChangesOf) : [];
    return [{ child: `${kind} ${name}`, operation: isUpdate ? "update" : operation, fields: changes }];
  });
}

function leafChangesOf({ path, before, after }: PlannedStep["fields"][number]): LeafChange[] {
  const place = partsOf(path).join(".");
  if (before === masked || after === masked) return [{ path: place, before, after }];
  return changesBetween(new Map(leavesIn(before, place)), new Map(leavesIn(after, place)));
}

/** What became of the objects between two moments. */
export function observedChanges(before: readonly ChildState[], after: readonly ChildState[]): ObjectChange[] {
  const [former, latter] = [before, after].map((states) => new Map(states.map((state) => [state.child, state])));
  const children = [...new Set([...before, ...after].map(({ child }) => child))].sort();
  return children.flatMap((child) => changeOf(child, former?.get(child), latter?.get(child)));
}

function changeOf(child: string, before: ChildState | undefined, after: ChildState | undefined): ObjectChange[] {
  if (after === undefined) return [{ child, operation: "delete", fields: [] }];
  if (before === undefined) return [{ child, operation: "create", fields: [] }];
  if (before.uid !== after.uid) return [{ child, operation: "replace", fields: [] }];
  if (before.digest === after.digest) return [];
  return [{ child, operation: "update", fields: changesBetween(before.leaves, after.leaves) }];
}

/** What of a change is compared: all of it, or a part; undefined where nothing is. */
type Compared = (change: ObjectChange) => ObjectChange | undefined;

/** Of one of the edits that were made at once: together with those before it. */
type Said = Pick<Plan, "steps" | "isHeld">;

/**
 * How the two differ, a sentence each. Of several edits the last one counts, and what was begun for the others and taken back is no difference.
 * A pause ends nothing that has begun.
 */
export function objectDifferences(
  plans: readonly Said[],
  observed: readonly ObjectChange[],
  compared: Compared = (change) => change,
): string[] {
  const told = (plan: Said): ObjectChange[] => predictedChanges(plan).flatMap((change) => compared(change) ?? []);
  const last = plans.at(-1);
  const former = plans.slice(0, -1);
  if (last === undefined) return [];
  const begun = former.findLast(({ isHeld }) => !isHeld);
  const counts = last.isHeld && begun !== undefined && observed.length > 0 ? begun : last;
  const others = former.filter((plan) => plan !== counts).flatMap(predictedChanges);
  const isLeft = ({ child, operation, fields }: ObjectChange): boolean =>
    others.some((one) => one.child === child) && isTakenBack({ operation, fields });
  return differencesBetween(
    told(counts),
    observed.flatMap((change) => compared(change) ?? []),
    isLeft,
  );
}

function differencesBetween(
  predicted: readonly ObjectChange[],
  observed: readonly ObjectChange[],
  isLeft: (seen: ObjectChange) => boolean,
): string[] {
  const children = [...new Set([...predicted, ...observed].map(({ child }) => child))].sort();
  return children.flatMap((child) => {
    const [said, seen] = [predicted, observed].map((changes) => changes.find((change) => change.child === child));
    return said === undefined && seen !== undefined && isLeft(seen) ? [] : differencesOf(child, said, seen);
  });
}

/** Created again, or as before. */
const isTakenBack = ({ operation, fields }: Omit<ObjectChange, "child">): boolean =>
  operation === "replace" || (operation === "update" && fields.length === 0);

const words = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
} as const satisfies Readonly<Record<ObjectChange["operation"], string>>;

function differencesOf(child: string, said: ObjectChange | undefined, seen: ObjectChange | undefined): string[] {
  if (said?.operation !== seen?.operation) {
    const [told, was] = [said, seen].map((change) => (change === undefined ? "left alone" : wordsFor(change)));
    return [`${child} was ${was}, predicted was that it is ${told}`];
  }
  const found = fieldDifferences(child, said?.fields ?? [], seen?.fields ?? []);
  return found.length === 0 ? [] : [...found, `${child}: predicted ${listed(said)}; seen ${listed(seen)}`];
}

const wordsFor = ({ operation, fields }: ObjectChange): string => [words[operation], ...fields.map(textOf)].join(" ");

function fieldDifferences(child: string, said: readonly LeafChange[], seen: readonly LeafChange[]): string[] {
  const missing = said.filter((field) => !seen.some((one) => isMeantBy(one, field)));
  const unsaid = seen.filter((field) => !said.some((one) => isMeantBy(field, one)));
  return [
    ...missing.map((field) => `${child}: predicted and not seen: ${textOf(field)}`),
    ...unsaid.map((field) => `${child}: seen and not predicted: ${textOf(field)}`),
  ];
}

/** A secret value is all that is below it. */
function isMeantBy(seen: LeafChange, said: LeafChange): boolean {
  const isMasked = said.before === masked || said.after === masked;
  if (isMasked) return seen.path === said.path || seen.path.startsWith(`${said.path}.`);
  const { path } = seen;
  return path === said.path && isSame(path, seen.before, said.before) && isSame(path, seen.after, said.after);
}

const listed = (change: ObjectChange | undefined): string => change?.fields.map(textOf).join(", ") ?? "";

const textOf = ({ path, before, after }: LeafChange): string => `${path} ${shown(before)} → ${shown(after)}`;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
