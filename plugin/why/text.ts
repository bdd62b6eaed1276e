// Why something is as it is, for people. Pure.
import type { Condition } from "../../operator/api/status";
import { grouped, type Said } from "../objects/database";
import { agoText, clockText, momentText } from "../output/amounts";
import { cell, columns } from "../output/columns";
import type { View } from "../output/print";
import type { Start } from "./cause";
import type { Incident } from "./incidents";

/** What `-o json` prints. */
export interface Explanation {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly conditions: readonly Condition[];
  readonly members: readonly Start[];
  readonly incidents: readonly Incident[];
  readonly notShown: readonly string[];
}

export interface WhyView extends View {
  /** How many incidents are shown; undefined: all. */
  readonly most: number | undefined;
}

export function explanationLines(explanation: Explanation, view: WhyView): string[] {
  const { namespace, name, state, conditions, members, incidents, notShown } = explanation;
  const { palette, now, most } = view;
  const shown = incidents.slice(0, most);
  const left = incidents.length - shown.length;
  return [
    `${palette.bold(`${namespace}/${name}`)}   ${state}`,
    ...(conditions.length === 0 ? ["  nothing is wrong, and nothing is in progress"] : []),
    ...grouped(conditions).flatMap((said) => saidLines(said, view)),
    ...members.flatMap((start) => startLines(start, view)),
    "",
    palette.bold("What happened, the newest first"),
    ...(shown.length === 0 ? ["  nothing that is still known"] : []),
    ...columns(shown.map((one) => incidentCells(one, { palette, now }))).map((line) => `  ${line}`),
    ...(left > 0 ? [`  and ${left} more: --all`] : []),
    ...notShown.map((line) => palette.dim(`not shown: ${line}`)),
  ];
}

function saidLines({ types, reason, message, since }: Said, { now, palette }: WhyView): string[] {
  return [
    `  ${palette.yellow(types)}: ${reason}, ${agoText(since, now)}`,
    ...message.split("\n").map((line) => `    └─ ${line}`),
  ];
}

function startLines({ member, at, chain }: Start, { now, palette }: WhyView): string[] {
  const since = at === undefined ? "does not run" : `runs since ${momentText(at)}, ${agoText(at, now)}`;
  const known =
    chain.length > 0 ? chain : [palette.dim("why is not known any more: the cluster keeps events for an hour or so")];
  return [`  ${member} ${since}`, ...known.map((text, depth) => `    ${"   ".repeat(depth)}└─ ${text}`)];
}

function incidentCells(incident: Incident, { now, palette }: View): ReturnType<typeof cell>[] {
  const { at, about, reason, message, isWarning, count } = incident;
  const often = count > 1 ? ` (${count} times)` : "";
  return [
    cell(clockText(at, now)),
    cell(about),
    cell(reason, isWarning ? palette.yellow : undefined),
    cell(`${message.replaceAll(/\s*\n\s*/g, " ")}${often}`),
  ];
}
