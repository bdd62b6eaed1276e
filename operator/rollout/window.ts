// Whether a restart that the platform asked for may begin at this time. Its change was let in by a window; its turn may come when that is over.
import type { NamedEffect } from "../../contract/effects";
import type { ChangePolicy } from "../api/change-policy";
import type { DatabaseSpec } from "../api/spec";
import type { Ports } from "../domain/ports";
import type { Revision, StackRecord } from "../domain/records";
import { decide } from "../policy/decide";
import { policiesOverRestart } from "../policy/holding";
import { windowText } from "../policy/shown";

interface Restart {
  readonly record: Pick<StackRecord, "agreed">;
  readonly spec: DatabaseSpec;
  /** The change that it is for. */
  readonly revision: Revision | undefined;
  readonly members: number;
}

/** Why it must wait, and for how long, in milliseconds. */
export interface ShutWindow {
  readonly text: string;
  readonly afterMs: number;
}

/** A change of the Database's policy is another turn. In milliseconds. */
const longestPauseMs = 3_600_000;

/** What clients notice of the restart of all members, one after the other. */
const effectsOf = (members: number): readonly NamedEffect[] =>
  members > 1 ? ["RollingRestart", "Switchover"] : ["Downtime"];

/** Undefined where no window has to open. Who approved it for now did so for its restarts, too. */
export function windowBefore(
  { record, spec, revision, members }: Restart,
  { changes, now }: Pick<Ports, "changes" | "now">,
): ShutWindow | undefined {
  if (record.agreed?.isNow === true) return undefined;
  const own = record.agreed === undefined ? spec.changePolicy : record.agreed.policy;
  // an earlier operator did not note what it was
  const isRelease = (revision?.source ?? "Release") === "Release";
  const policies = policiesOverRestart(own, isRelease, changes).map(withoutApproval);
  const present = now().getTime();
  const decision = decide({
    ...{ policies, effects: effectsOf(members), now: present },
    ...{ loosens: false, approving: "approved" },
  });
  if (decision.kind === "go") return undefined;
  const opensAt = decision.window?.opensAt ?? Infinity;
  return { text: windowText(decision).join(""), afterMs: Math.min(longestPauseMs, Math.max(0, opensAt - present)) };
}

/** It was approved, or did not have to be, before it ran. */
const withoutApproval = ({ windows }: ChangePolicy): ChangePolicy => ({ requireApproval: [], windows });
