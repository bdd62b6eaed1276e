// The history of a Database, for people. Pure.
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import type { ChangedField } from "../../operator/api/revisions/spec";
import { askerOf } from "../objects/revision";
import { clockText, agoText, durationText, momentText } from "../output/amounts";
import { cell, table, type Cell } from "../output/columns";
import type { Paint, Palette } from "../output/palette";
import type { View } from "../output/print";

export interface HistoryView extends View {
  readonly hasHeadings: boolean;
  readonly isWide: boolean;
}

const headings = ["REV", "WHEN", "BY", "RESULT", "EFFECT", "CHANGE"];

export function historyLines(revisions: readonly DatabaseRevision[], view: HistoryView): string[] {
  const { hasHeadings, isWide, palette } = view;
  const rows = revisions.map((revision) => [
    cell(String(revision.spec.revision)),
    cell(momentText(revision.spec.at)),
    cell(byText(revision)),
    resultCell(revision, palette),
    cell(effectText(revision)),
    cell(changeText(revision)),
    ...(isWide ? [cell(revision.spec.manager ?? "–"), cell(revision.metadata.name)] : []),
  ]);
  return table([...headings, ...(isWide ? ["MANAGER", "NAME"] : [])], rows, hasHeadings);
}

/** Who asked for it, and who approved it. */
export function byText(revision: DatabaseRevision): string {
  const approver = revision.spec.approval?.by;
  return approver === undefined ? askerOf(revision) : `${askerOf(revision)}, approved: ${approver}`;
}

function resultCell({ status: { result = "Progressing" } }: DatabaseRevision, palette: Palette): Cell {
  const paints: Readonly<Record<string, Paint>> = {
    Complete: palette.green,
    Stopped: palette.red,
    Progressing: palette.yellow,
  };
  return cell(result, paints[result]);
}

/** What people noticed of it. */
export function effectText({ status: { restarted = 0, interruptionSeconds = 0 } }: DatabaseRevision): string {
  const parts = [
    ...(restarted > 0 ? [`restarted ${restarted}`] : []),
    ...(interruptionSeconds > 0 ? [`no primary ${durationText(interruptionSeconds)}`] : []),
  ];
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** How many changed fields a line names, and how long a value is, in characters. */
const mostNamed = 2;
const longestValue = 40;

/** What it changed, in a line. */
export function changeText({ spec: { revision, origin, changes, putBack = [], summary } }: DatabaseRevision): string {
  if (origin === "Repair") return `put back: ${putBack[0] ?? summary}${more(putBack.length - 1)}`;
  if (changes.length === 0) return revision === 1 ? "created" : summary;
  const named = changes.slice(0, mostNamed).map((field) => fieldText(field));
  return `${named.join(", ")}${more(changes.length - mostNamed)}`;
}

const more = (count: number): string => (count > 0 ? `, ${count} more` : "");

function fieldText({ path, before, after }: ChangedField): string {
  const name = path.replace(/^spec\.(config\.)?/, "");
  const [old, next] = [before, after].map((text) => text && brief(text));
  if (old === undefined) return `${name} ${next ?? ""}`.trim();
  return next === undefined ? `${name} ${old} → (none)` : `${name} ${old} → ${next}`;
}

const brief = (text: string): string => (text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text);

/** All of one. */
export function revisionLines(revision: DatabaseRevision, view: View): string[] {
  const { metadata, spec, status } = revision;
  const { palette, now } = view;
  const title = palette.bold(`${metadata.namespace}/${spec.database}`);
  return [
    `${title}   revision ${spec.revision}   ${resultCell(revision, palette).paint?.(status.result ?? "Progressing") ?? status.result ?? ""}`,
    `When      ${momentText(spec.at)}, ${agoText(spec.at, now)}${tookText(revision)}`,
    `By        ${whoText(revision)}`,
    ...approvalLines(revision),
    `Effect    ${effectText(revision)}${status.message === undefined ? "" : `: ${status.message}`}`,
    ...(spec.restarts === undefined ? [] : [`Restarts  ${spec.restarts}`]),
    ...section("Changes", fieldLines(spec.changes, palette), palette),
    ...section("Put back", spec.putBack ?? [], palette),
    ...section("Members", incidentLines(revision, view), palette),
    palette.dim(spec.template === undefined ? "its spec was not kept" : "-o yaml prints its spec, in spec.template"),
  ];
}

/** What follows the moment; empty until it is complete. */
export const tookText = ({ status: { seconds } }: DatabaseRevision): string =>
  seconds === undefined ? "" : `; complete after ${durationText(seconds)}`;

/** Who asked for it, and by which way. */
export function whoText(revision: DatabaseRevision): string {
  const { origin, manager, generation } = revision.spec;
  const by = askerOf(revision);
  const through = manager === undefined || manager === by ? "" : `, through ${manager}`;
  if (origin === "Repair") return `a repair; what was put back was changed by ${by}`;
  return `${by}${through}${generation === undefined ? "" : `, generation ${generation}`}`;
}

function approvalLines({ spec: { approval } }: DatabaseRevision): string[] {
  if (approval === undefined) return [];
  const by = approval.by === undefined ? "needed none" : `by ${approval.by}`;
  const foretold = approval.consequences.map(({ message }) => message);
  return [
    `Approved  ${by}, plan ${approval.plan.slice(0, 12)}`,
    ...(foretold.length === 0 ? ["nothing that clients notice"] : foretold).map(
      (text, index) => `${(index === 0 ? "Foretold" : "").padEnd(10)}${text}`,
    ),
  ];
}

const section = (title: string, lines: readonly string[], { bold }: Palette): string[] =>
  lines.length === 0 ? [] : [bold(title), ...lines.map((line) => `  ${line}`)];

function fieldLines(changes: readonly ChangedField[], { red, green }: Palette): string[] {
  const width = Math.max(0, ...changes.map(({ path }) => path.length));
  return changes.map(({ path, before, after }) => {
    const name = path.padEnd(width);
    if (before === undefined) return `${name}  ${green(`+ ${after ?? ""}`)}`;
    return `${name}  ${after === undefined ? red(`- ${before}`) : `${red(before)} → ${green(after)}`}`;
  });
}

function incidentLines({ status: { incidents = [] } }: DatabaseRevision, { now }: View): string[] {
  return incidents.flatMap(({ at, kind, member = "", seconds, why }) => [
    `${clockText(at, now)}  ${member} ${kind}${seconds === undefined ? "" : ` for ${durationText(seconds)}`}`,
    ...why.map((text, depth) => `${" ".repeat(2 + depth * 3)}└─ ${text}`),
  ]);
}
