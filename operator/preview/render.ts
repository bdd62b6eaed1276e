// Prints what a preview found out: pure, and the same on a terminal as elsewhere but for the colors.
import { backupResource, databaseResource } from "../../contract/resources";
import type { FieldChange, PlannedStep } from "../domain/runner";
import { plainBetween } from "../objects/plain-text";
import { shortened } from "../domain/shortened";
import { expanded } from "../consequences/fields";
import { replacementText } from "../consequences/volumes";
import { isChange, type BackupPlan, type Plan, type Previewed } from "./plan";

/** Puts colors around a text. */
export type Palette = Readonly<Record<"bold" | "dim" | "green" | "yellow" | "red", (text: string) => string>>;

const plainly = (text: string): string => text;
/** No colors. */
export const plain: Palette = { bold: plainly, dim: plainly, green: plainly, yellow: plainly, red: plainly };

const painted =
  (code: number) =>
  (text: string): string =>
    `\x1b[${code}m${text}\x1b[0m`;
/** The colors of a terminal. */
export const colors: Palette = {
  bold: painted(1),
  dim: painted(2),
  green: painted(32),
  yellow: painted(33),
  red: painted(31),
};

/** What of a text is one of those. */
// eslint-disable-next-line no-control-regex -- that is how colors begin
const colorMark = /(\x1b\[(?:[0-2]|3[1-3])m)/;

/** All of it, one section for each object of the file. */
export function render(all: readonly Previewed[], palette: Palette): string {
  const text = all.map((one) => sectionOf(one, palette).join("\n")).join("\n\n") + "\n";
  return plainBetween(colorMark, text);
}

function sectionOf(one: Previewed, palette: Palette): string[] {
  switch (one.kind) {
    case "skipped":
      return [palette.dim(one.message)];
    case "rejected":
      return [
        title(one.database, "refused by the API server", palette.red, palette, one.isBackup === true),
        ...indented(one.message.split("\n")),
      ];
    case "stalled":
      return [
        title(one.database, `stalled, ${one.reason}`, palette.red, palette),
        ...askedLines(one.asked, palette),
        ...(one.asked.length > 0 ? [""] : []),
        ...indented([`nothing of this would be applied: ${one.message}`]),
      ];
    case "failed":
      return [title(one.database, "cannot be determined", palette.red, palette), ...indented(one.message.split("\n"))];
    case "plan":
      return planLines(one, palette);
    case "backup":
      return backupLines(one, palette);
  }
}

const intents: Readonly<Record<Plan["intent"], string>> = { create: "new", change: "changed", delete: "deleted" };

function backupLines(plan: BackupPlan, palette: Palette): string[] {
  const what = isChange(plan) ? intents[plan.intent] : "nothing would change";
  return [
    title(plan.backup, what, plainly, palette, true),
    ...askedLines(plan.asked, palette),
    ...block(
      plan.consequences.map(({ message }) => `- ${message}`),
      "what it means",
      palette,
    ),
  ];
}

function planLines(plan: Plan, palette: Palette): string[] {
  const what = isChange(plan) ? intents[plan.intent] : "nothing would change";
  const changed = plan.steps.filter(({ operation }) => operation !== "same");
  const saidAbove = new Set([...plan.notes, ...plan.harmful.map(replacementText)]);
  return [
    title(plan.database, what, plainly, palette),
    ...indented(plan.notes.map((note) => palette.yellow(`! ${note}`))),
    ...askedLines(plan.asked, palette),
    ...block(
      plan.drift.map((line) => palette.yellow(`! ${line}`)),
      "changed by other clients, and restored",
      palette,
    ),
    ...block(
      changed.flatMap((step) => stepLines(step, plan, palette)),
      "what the operator does",
      palette,
    ),
    ...block(
      plan.harmful.map((step) => palette.red(`! ${replacementText(step)}`)),
      "DATA OR SERVICE WOULD BE LOST",
      palette,
    ),
    "",
    `  ${summaryOf(plan)}`,
    ...block(
      plan.consequences.filter(({ message }) => !saidAbove.has(message)).map(({ message }) => `- ${message}`),
      "what it means",
      palette,
    ),
  ];
}

function title(
  ...[name, what, paint, { bold }, isBackup = false]: [string, string, (text: string) => string, Palette, boolean?]
): string {
  return `${bold(`${isBackup ? backupResource.kind : databaseResource.kind} ${name}`)}: ${paint(what)}`;
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** Lines under a heading; nothing where there are none. */
function block(lines: readonly string[], heading: string, { bold }: Palette): string[] {
  return lines.length === 0 ? [] : ["", `  ${bold(heading)}`, ...indented(indented(lines))];
}

const askedLines = (asked: readonly FieldChange[], palette: Palette): string[] =>
  block(fieldLines(asked, palette), "what you ask for", palette);

/** Of what is there: a volume stays what it is; anything else is brought to the form that is declared. */
const adoptedText = (kind: string): string =>
  `, which is there, and is ${kind === "PersistentVolumeClaim" ? "used again" : "written over"}`;

/** One line for an object, and one for each of its fields. */
function stepLines(step: PlannedStep, { putBack }: Plan, palette: Palette): string[] {
  const object = `${step.kind} ${step.name}`;
  const fields = indented(indented(fieldLines(step.fields.flatMap(expanded), palette)));
  switch (step.operation) {
    case "create":
      if (step.adopts) return [palette.yellow(`~ ${object}`) + adoptedText(step.kind), ...fields];
      return [putBack.has(object) ? palette.yellow(`~ ${object}`) + ", restored" : palette.green(`+ ${object}`)];
    case "update":
      return [palette.yellow(`~ ${object}`), ...fields];
    case "replace":
      return [palette.yellow(`± ${object}`) + ", recreated", ...fields];
    case "delete":
      return step.retained ? [palette.dim(`- ${object}, kept in the cluster`)] : [palette.red(`- ${object}`)];
    case "same":
      return [];
  }
}

/** Longest value that is printed, in characters. */
const longestValue = 100;
/** Widest column of paths, in characters: a longer path has its values on the line below. */
const widestPath = 60;

function fieldLines(fields: readonly FieldChange[], palette: Palette): string[] {
  const widest = Math.max(0, ...fields.map(({ path }) => path.length).filter((length) => length <= widestPath));
  return fields.flatMap((field) => {
    const value = valueText(field, palette);
    return field.path.length > widestPath ? [field.path, `  ${value}`] : [`${field.path.padEnd(widest)}  ${value}`];
  });
}

function valueText({ kind, before, after }: FieldChange, { green, red, dim }: Palette): string {
  const [old, next] = [textOf(before), textOf(after)];
  switch (kind) {
    case "add":
      return green(`+ ${next}`);
    case "remove":
      return red(`- ${old}`);
    case "change":
      return `${red(old)} ${dim("→")} ${green(next)}`;
  }
}

function textOf(value: unknown): string {
  return value === undefined ? "" : shortened(JSON.stringify(value), longestValue);
}

const verbs: readonly (readonly [PlannedStep["operation"], string])[] = [
  ["create", "to create"],
  ["update", "to update"],
  ["replace", "to replace"],
  ["delete", "to delete"],
  ["same", "unchanged"],
];

/** For example "3 to create, 1 to update, 12 unchanged". */
export function summaryOf({ steps, putBack }: Pick<Plan, "steps" | "putBack">): string {
  const isPutBack = ({ kind, name, operation }: PlannedStep): boolean =>
    operation === "create" && putBack.has(`${kind} ${name}`);
  const count = (matches: (step: PlannedStep) => boolean): number => steps.filter(matches).length;
  const parts = [
    ...verbs.map(([operation, verb]) => {
      const matches = (step: PlannedStep): boolean =>
        step.operation === operation && !step.retained && step.adopts !== true && !isPutBack(step);
      return [count(matches), verb] as const;
    }),
    [count(isPutBack), "to restore"] as const,
    [count(({ adopts }) => adopts === true), "used again"] as const,
    [count(({ retained }) => retained), "kept"] as const,
  ].filter(([many]) => many > 0);
  return parts.length === 0 ? "nothing to do" : parts.map(([many, verb]) => `${many} ${verb}`).join(", ");
}
