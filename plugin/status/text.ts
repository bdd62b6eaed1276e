// How a Database fares, for people: one screen. Pure.
import { agoText, bytesText, durationText, momentText, secondsBetween } from "../output/amounts";
import { cell, columns, type Cell } from "../output/columns";
import type { Paint, Palette } from "../output/palette";
import { pendingLines } from "../output/pending";
import type { View } from "../output/print";
import { engineTitle, grouped, type State } from "../objects/database";
import type { DetailedStanding, MemberStanding } from "./detailed";
import type { BackupStanding, LastBackup, Standing } from "./standing";

/** The color of a word. */
export function paintOf(state: State, { green, yellow, red, dim }: Palette): Paint {
  const paints: Readonly<Record<State, Paint>> = {
    ...{ READY: green, DEGRADED: yellow, UPDATING: yellow, WAITING: yellow, "NOT READY": red },
    ...{ STALLED: red, PAUSED: yellow, DELETING: dim, PENDING: yellow },
  };
  return paints[state];
}

/** What one Database has to tell, line by line. */
export function standingLines(standing: DetailedStanding, view: View): string[] {
  return [
    headLine(standing, view),
    ...columns(standing.members.map((member) => memberCells(member, view))).map((line) => `  ${line}`),
    ...labelled([
      ["Now", nowLines(standing)],
      ["Waiting", waitingLines(standing, view)],
      ["Upgrade", upgradeLines(standing)],
      ["Backup", backupLines(standing.backup, view)],
      ["Restore", restoreLines(standing.backup)],
      ["Connect", connectLines(standing)],
      ["Next", standing.next],
      ["Not shown", standing.notShown],
    ]),
  ];
}

function headLine(standing: Standing, { palette, now }: View): string {
  const { namespace, name, engine, version, lastChange } = standing;
  const change =
    lastChange === undefined
      ? []
      : [
          `revision ${lastChange.revision}, ${agoText(lastChange.at, now)}${lastChange.by === undefined ? "" : ` by ${lastChange.by}`}`,
        ];
  const title = palette.bold(`${namespace}/${name}`);
  return [title, `${engineTitle(engine)} ${version}`, stateText(standing, palette), ...change].join("   ");
}

/** Of what waits for a person it is said whether it serves meanwhile. */
function stateText({ state, ready }: Standing, palette: Palette): string {
  const isHeld = state === "STALLED" || state === "PAUSED";
  return paintOf(state, palette)(isHeld ? `${state}, ${ready ? "serves" : "does not serve"}` : state);
}

function memberCells(member: MemberStanding, { palette, now }: View): Cell[] {
  const { name, role, node, ready, startedAt, problem, volume } = member;
  const seconds = secondsBetween(startedAt, now);
  const up = seconds === undefined ? "" : `up ${durationText(seconds)}`;
  return [
    cell(name),
    cell(role ?? "–", role === "primary" ? palette.bold : undefined),
    cell(node ?? ""),
    cell(up),
    cell(volume === undefined ? "" : `${bytesText(volume.used)} / ${bytesText(volume.size)}`),
    ready
      ? replicationCell(member, palette)
      : cell([problem ?? "not ready", ...restartTexts(member)].join(", "), palette.red),
  ];
}

const restartTexts = ({ restarts, lastEnding }: MemberStanding): string[] =>
  restarts === undefined ? [] : [`restarted ${restarts}×${lastEnding === undefined ? "" : `: ${lastEnding}`}`];

function replicationCell(member: MemberStanding, { yellow }: Palette): Cell {
  const { streaming, bytesBehind } = member;
  const restarted = restartTexts(member);
  if (streaming === false) return cell(["receives nothing of the primary", ...restarted].join(", "), yellow);
  const lag = bytesBehind === undefined ? [] : [bytesBehind === 0 ? "0 B behind" : `~${bytesText(bytesBehind)} behind`];
  return cell([...lag, ...restarted].join(", "));
}

/** What waits has lines of its own. */
function nowLines({ conditions, pendingChange, unseenGeneration, contradiction }: DetailedStanding): string[] {
  const rest = conditions.filter(({ type }) => type !== "ChangePending" || pendingChange === undefined);
  const told = [
    ...(contradiction === undefined ? [] : [contradiction]),
    ...grouped(rest).map(({ types, reason, message }) => `${types}: ${reason}: ${message}`),
  ];
  return unseenGeneration === undefined
    ? told
    : [...told, `the operator has not looked at the last change yet (generation ${unseenGeneration})`];
}

const waitingLines = ({ pendingChange }: Standing, view: View): string[] =>
  pendingChange === undefined ? [] : pendingLines(pendingChange, view);

function upgradeLines({ upgrade }: Standing): string[] {
  if (upgrade === undefined) return [];
  const { from, to, phase, announcedSeconds } = upgrade;
  const downtime = announcedSeconds === undefined ? "" : ` · about ${durationText(announcedSeconds)} without service`;
  return [`${from} → ${to}: ${phase}${downtime}`];
}

function backupLines({ enabled, schedule, last, problem }: BackupStanding, { now, palette }: View): string[] {
  if (!enabled) return ["off"];
  const planned = schedule === undefined ? "" : ` · schedule ${schedule}`;
  const trouble = problem === undefined ? [] : [palette.yellow(problem)];
  if (last === undefined) return trouble.length > 0 ? trouble : [`none yet${planned}`];
  const { completedAt, size } = last;
  const facts = [
    `${momentText(completedAt)}, ${agoText(completedAt, now)}`,
    ...(size === undefined ? [] : [bytesText(size)]),
    verifiedText(last, now, palette),
  ];
  return [`${facts.join(", ")}${planned}`, ...trouble];
}

function verifiedText({ isDamaged = false, verifiedAt }: LastBackup, now: Date, { red }: Palette): string {
  if (isDamaged) return red("damaged, as a restore drill found");
  return verifiedAt === undefined ? "not verified by a restore" : `restored by a drill ${agoText(verifiedAt, now)}`;
}

const restoreLines = ({ recoverableFrom }: BackupStanding): string[] =>
  recoverableFrom === undefined ? [] : [`any moment since ${momentText(recoverableFrom)}`];

function connectLines({ endpoint, credentialsSecret }: Standing): string[] {
  if (endpoint === undefined) return [];
  return [credentialsSecret === undefined ? endpoint : `${endpoint}, as Secret ${credentialsSecret} says`];
}

/** Labels in a column of their own; those without lines are left out. */
function labelled(parts: readonly (readonly [label: string, lines: readonly string[]])[]): string[] {
  const shown = parts.filter(([, lines]) => lines.length > 0);
  const width = Math.max(8, ...shown.map(([label]) => label.length)) + 2;
  return shown.flatMap(([label, lines]) =>
    lines.map(
      (line, index) => (index === 0 ? label : "").padEnd(width) + line.replaceAll("\n", `\n${" ".repeat(width)}`),
    ),
  );
}
