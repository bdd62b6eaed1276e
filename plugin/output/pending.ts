// A change that waits, for people: for what, what differs, what that does, and the plan's name. Pure.
import { isApproved, shortened, waitsForApproval, type SeenPending } from "../objects/pending";
import { agoText, momentText } from "./amounts";
import { byWeight, effectText } from "./effect";
import type { Palette } from "./palette";
import type { View } from "./print";

export function pendingLines(pending: SeenPending, view: View): string[] {
  const { palette } = view;
  return [
    awaitedText(pending),
    ...pending.changes.map((field) => `  ${changeText(field, palette)}`),
    ...byWeight(pending.consequences).map((one) => effectText(one, palette)),
    ...approvalLines(pending, palette),
    planText(pending, view),
  ];
}

/** Such as `for approval, and then for a window, which opens 2026-11-29 01:00 UTC`. */
export function awaitedText(pending: SeenPending): string {
  const { waitsFor, windowOpensAt } = pending;
  const opens = windowOpensAt === undefined ? "; none is known to open" : `, which opens ${momentText(windowOpensAt)}`;
  const parts = [
    ...(waitsForApproval(pending) ? ["for approval"] : []),
    ...(waitsFor.includes("Window") ? [`for a window${opens}`] : []),
    ...waitsFor.filter((one) => one !== "Approval" && one !== "Window").map((one) => `for ${one}`),
  ];
  return parts.length === 0 ? "for the operator's next look" : parts.join(", and then ");
}

function changeText({ path, before, after }: SeenPending["changes"][number], { green, red }: Palette): string {
  if (before === undefined) return `${path}  ${green(`+ ${after ?? ""}`)}`;
  return `${path}  ${after === undefined ? red(`- ${before}`) : `${red(before)} → ${green(after)}`}`;
}

function approvalLines(pending: SeenPending, { yellow }: Palette): string[] {
  const { approval } = pending;
  if (approval === undefined) return [];
  const by = approval.by === undefined ? "" : ` by ${approval.by}`;
  if (isApproved(pending)) return [`approved${by}`];
  return [yellow(`the approval on it${by} does not count: ${approval.message}`)];
}

function planText({ digest, since, requestedBy, approveBefore }: SeenPending, { now }: View): string {
  const by = requestedBy === undefined ? "" : ` by ${requestedBy}`;
  return [
    `plan ${shortened(digest)}`,
    ...(since === undefined && by === "" ? [] : [`asked for ${agoText(since, now)}${by}`]),
    ...(approveBefore === undefined ? [] : [`to be approved before ${momentText(approveBefore)}`]),
  ].join(", ");
}
