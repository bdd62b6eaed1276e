// Why a member started last: from its pod, and from what was said shortly before. Pure.
import { serverEndText } from "../../contract/server-end";
import type { SeenDatabase } from "../objects/database";
import type { SeenEvent } from "../objects/event";
import { endingText, type SeenMember } from "../objects/member";

/** What is known of the last start of a member. */
export interface Start {
  readonly member: string;
  /** Undefined while it does not run. */
  readonly at: string | undefined;
  /** From what led to it to what led to that. Empty: not known. */
  readonly chain: readonly string[];
}

/** Farther back nothing counts as the cause of a start, in milliseconds. */
const windowMs = 15 * 60_000;
/** Clocks of nodes and operator differ, in milliseconds. */
const toleranceMs = 10_000;

/** What is known beside the pod. */
export interface Known {
  /** Those about the Database, in any order. */
  readonly events: readonly SeenEvent[];
  /** The chain that the history has of this start; empty where it has none. It knows more, and longer, but not what a server said at its end. */
  readonly recorded: readonly string[];
}

/** The chain of one member. */
export function startOf(member: SeenMember, database: SeenDatabase, { events, recorded }: Known): Start {
  const at = member.startedAt ?? member.createdAt;
  const before = events.filter(isShortlyBefore(at)).sort((a, b) => (a.at > b.at ? -1 : 1));
  const ended = isStartOfServer(member) ? [serverEndText] : ofContainer(member, before);
  const chains = [ended, ofRecord(recorded, member, before), ofKubernetes(member, before)];
  const chain = chains.find((one) => one.length > 0) ?? ofCreation(member, database);
  return { member: member.name, at: member.startedAt, chain };
}

/** What the operator said adds to what the history has only where that was the operator's doing: a change. */
function ofRecord(recorded: readonly string[], member: SeenMember, before: readonly SeenEvent[]): readonly string[] {
  const [how, why] = ofOperator(member, before);
  if (recorded.length === 0) return [how, why].filter((text) => text !== undefined);
  return how === undefined || !isChange(recorded) ? recorded : [how, ...recorded];
}

const isChange = ([first = ""]: readonly string[]): boolean => /^revision \d+: /.test(first);

function isShortlyBefore(at: string | undefined): (event: SeenEvent) => boolean {
  const time = Date.parse(at ?? "");
  return (event) => {
    const distance = time - Date.parse(event.at);
    return distance >= -toleranceMs && distance <= windowMs;
  };
}

const isOfPod =
  ({ name }: SeenMember) =>
  (event: SeenEvent): boolean =>
    event.kind === "Pod" && event.name === name;

/** A container that ended and was started again in the same pod. */
function ofContainer(member: SeenMember, before: readonly SeenEvent[]): string[] {
  const { ending, restarts, startedAt = "" } = member;
  if (ending === undefined || restarts === 0 || (ending.finishedAt ?? "") > startedAt) return [];
  const said = ending.message.trim().split("\n").at(-1)?.trim() ?? "";
  const probe = before
    .filter(isOfPod(member))
    .find(({ reason, message }) => reason === "Killing" && /probe/.test(message));
  return [
    `container ${ending.container} ended: ${endingText(ending)}${said === "" ? "" : `: ${said}`}`,
    ...(probe === undefined ? [] : [`the kubelet ended it: ${probe.message}`]),
  ];
}

/** The server alone ended, and was started again in its container. */
const isStartOfServer = ({ serverEndedAt, startedAt }: SeenMember): boolean =>
  serverEndedAt !== undefined && serverEndedAt === startedAt;

/** The operator says which member it restarts, and why. */
function ofOperator({ name, startedAt, createdAt }: SeenMember, before: readonly SeenEvent[]): string[] {
  const told = before.find(
    ({ reason, message }) => reason === "Restarting" && message.startsWith(`restarting ${name}: `),
  );
  if (told === undefined || isOfLaterPod(told, createdAt ?? startedAt)) return [];
  if (before.some((event) => isStartBetween(event, { name, told, createdAt }))) return [];
  const [how = "", why = ""] = told.message.split("; why: ");
  return [`the operator: ${how}`, ...(why === "" ? [] : [why])];
}

/** Another pod of the name was there between what was said and the present one: that is the one it led to. */
const isStartBetween = (
  { kind, name: pod, reason, at }: SeenEvent,
  {
    name,
    told,
    createdAt = "",
  }: { readonly name: string; readonly told: SeenEvent; readonly createdAt: string | undefined },
): boolean =>
  kind === "Pod" &&
  pod === name &&
  reason === "Scheduled" &&
  Date.parse(at) > Date.parse(told.at) &&
  Date.parse(at) < Date.parse(createdAt);

/** It was said before the present pod was created, if it led to that. */
const isOfLaterPod = ({ at }: SeenEvent, createdAt = ""): boolean =>
  Date.parse(at) > Date.parse(createdAt) + toleranceMs;

/** What evicts pods beside the operator, and what only says that one was ended. */
const evictions: ReadonlySet<string> = new Set([
  "Evicted",
  "Preempted",
  "TaintManagerEviction",
  "NodeShutdown",
  "Shutdown",
]);

function ofKubernetes(member: SeenMember, before: readonly SeenEvent[]): string[] {
  const ofPod = before.filter(isOfPod(member));
  const evicted = ofPod.find(({ reason }) => evictions.has(reason));
  if (evicted !== undefined) return [`${evicted.reason}: ${evicted.message}`];
  const killed = ofPod.find(({ reason }) => reason === "Killing");
  return killed === undefined ? [] : ["its pod was deleted; by whom is in the audit log of the API server"];
}

function ofCreation({ createdAt = "" }: SeenMember, { metadata }: SeenDatabase): string[] {
  const age = Date.parse(createdAt) - Date.parse(metadata.creationTimestamp ?? "");
  return age >= 0 && age <= windowMs ? ["the Database was new"] : [];
}
