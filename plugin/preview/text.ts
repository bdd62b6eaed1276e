// A preview for people: what is asked for, what that does to the database, and the plan's name. Pure.
import type { Consequence } from "../../operator/consequences/consequence";
import type { PreviewReport, ReportedField, ReportedObject } from "../../operator/preview/report";
import { invocation } from "../command/name";
import { shortened } from "../objects/pending";
import { durationText } from "../output/amounts";
import { byWeight, effectText } from "../output/effect";
import type { Paint, Palette } from "../output/palette";
import type { Answer } from "./answer";

export interface PreviewView {
  readonly palette: Palette;
  /** Whether every object is shown, with its fields. */
  readonly hasObjects: boolean;
}

/** A section for each, with an empty line between them. */
export const answerLines = (answers: readonly Answer[], view: PreviewView): string[] =>
  answers.flatMap((answer, index) => [...(index === 0 ? [] : [""]), ...linesOf(answer, view)]);

function linesOf(answer: Answer, view: PreviewView): string[] {
  const { palette } = view;
  switch (answer.kind) {
    case "skipped":
      return [palette.dim(answer.message)];
    case "refused":
      return [title(answer.database, "refused", palette.red, palette), ...indented(answer.message.split("\n"))];
    case "unserved":
      return unservedLines(answer, palette);
    case "report":
      return [headLine(answer.database, answer.report, palette), ...reportLines(answer.database, answer.report, view)];
  }
}

const title = (...[name, what, paint, { bold }]: [string, string, Paint, Palette]): string =>
  `${bold(name)}   ${paint(what)}`;
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function unservedLines({ database, why, warnings }: Extract<Answer, { kind: "unserved" }>, palette: Palette): string[] {
  return [
    title(database, "not previewed", palette.yellow, palette),
    `  ${why}`,
    ...(warnings.length === 0
      ? ["  the dry run gave no warnings, which proves nothing"]
      : ["  what the dry run warns of:", ...indented(indented(warnings.map((text) => `- ${text}`)))]),
    "  how the Database itself would change: kubectl diff -f FILE",
  ];
}

function headLine(database: string, report: PreviewReport, palette: Palette): string {
  const { outcome, operation, reason } = report;
  const words: Readonly<Record<PreviewReport["outcome"], string>> = {
    Planned: { Create: "new", Update: "changed", Delete: "deleted" }[operation ?? "Update"],
    ...{ Unchanged: "nothing would change", Refused: "refused by the API server", Skipped: "nothing to do" },
    ...{ Stalled: `stalled, ${reason ?? "for an unknown reason"}`, Failed: "cannot be determined" },
  };
  const isBad = ["Refused", "Stalled", "Failed"].includes(outcome);
  return title(database, words[outcome], isBad ? palette.red : (text) => text, palette);
}

function reportLines(database: string, report: PreviewReport, view: PreviewView): string[] {
  const { palette, hasObjects } = view;
  const { spec = [], message, drift = [], objects = [] } = report;
  const notes = (report.notes ?? []).filter((note) => note !== report.waits);
  return [
    ...indented(fieldLines(spec, palette)),
    ...(message === undefined ? [] : indented(message.split("\n"))),
    ...indented([...notes, ...drift].map((note) => palette.yellow(`! ${note}`))),
    ...(hasObjects ? objects.flatMap((object) => objectLines(object, palette)) : []),
    ...labelled("Effect", effectLines(report, palette)),
    ...labelled("Policy", policyLines(database, report, palette)),
    ...labelled("Plan", planLines(report, hasObjects)),
  ];
}

function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(8)}${line}`);
}

/** The weightiest first, and last what clients do not notice. */
function effectLines({ consequences = [], outcome }: PreviewReport, palette: Palette): string[] {
  if (outcome !== "Planned") return [];
  if (consequences.length === 0) return ["clients notice nothing"];
  return byWeight(consequences).map((one) => consequenceText(one, palette));
}

function consequenceText({ effect, message, aboutSeconds, waitsFor }: Consequence, palette: Palette): string {
  const seconds = aboutSeconds === undefined ? "" : ` (about ${durationText(aboutSeconds)})`;
  const later = waitsFor === undefined ? "" : `; not for now: ${waitsFor}`;
  return effectText({ effect, message: `${message}${seconds}${later}` }, palette);
}

/** Whether it would wait by the change policy, and what to do then. */
function policyLines(database: string, { waits }: PreviewReport, palette: Palette): string[] {
  if (waits === undefined) return [];
  const [name = "", namespace = ""] = database.split("/").reverse();
  const approve = `once it is applied: ${invocation} approve ${name} -n ${namespace}`;
  return [palette.yellow(waits), ...(waits.includes("approval") ? [approve] : [])];
}

function planLines({ digest, summary, paused = false }: PreviewReport, hasObjects: boolean): string[] {
  if (digest === undefined && summary === undefined) return [];
  const more = hasObjects ? "" : "   (--objects for fields)";
  return [
    `${[digest && shortened(digest), summary].filter((text) => text !== undefined).join("   ")}${more}`,
    ...(paused ? ["it waits until spec.paused is false"] : []),
  ];
}

const signs = { Create: "+", Update: "~", Replace: "±", Delete: "-" } as const;

function objectLines(object: ReportedObject, palette: Palette): string[] {
  const { kind, name, operation, retained = false, fields } = object;
  const paints = { Create: palette.green, Update: palette.yellow, Replace: palette.yellow, Delete: palette.red };
  const isAdopted = object.adopted === true;
  const paint = retained ? palette.dim : paints[isAdopted ? "Update" : operation];
  const sign = signs[isAdopted ? "Update" : operation];
  const fate = isAdopted
    ? `, which is there, and is ${kind === "PersistentVolumeClaim" ? "used again" : "written over"}`
    : retained
      ? ", kept in the cluster"
      : "";
  return [
    `    ${paint(`${sign} ${kind} ${name}${fate}`)}`,
    ...fieldLines(fields, palette).map((line) => `        ${line}`),
  ];
}

/** Longest value that is shown, in characters. */
const longestValue = 100;

function fieldLines(fields: readonly ReportedField[], { green, red }: Palette): string[] {
  const width = Math.max(0, ...fields.map(({ path }) => path.length));
  return fields.map(({ path, before, after }) => {
    const [old, next] = [valueText(before), valueText(after)];
    if (old === undefined) return `${path.padEnd(width)}  ${green(`+ ${next ?? ""}`)}`;
    return `${path.padEnd(width)}  ${next === undefined ? red(`- ${old}`) : `${red(old)} → ${green(next)}`}`;
  });
}

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text;
}
