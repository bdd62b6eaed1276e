// What the watches show of children, as a checkpoint has them.
import { childrenIn } from "../../operator/checkpoint/checkpoint";
import type { ChildName, DeclaredChild, ObservedChild } from "../../operator/domain/children";

/** What the watches show when nothing was touched since that checkpoint. */
export function observedFrom(checkpoint: string): Map<ChildName, ObservedChild> {
  const declared = childrenIn(checkpoint, "team.shop") ?? new Map<ChildName, DeclaredChild>();
  const seen = { terminating: false, disposable: true };
  return new Map([...declared].map(([child, { uid, applied }]) => [child, { uid, applied, ...seen }]));
}
