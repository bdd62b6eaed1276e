// The closed list of faults.
import { cutOffFromApi, cutOffFromMembers, isolated } from "./cut-off";
import type { Fault } from "./fault";
import { apiFrozen } from "./kubernetes";
import { minorUpgrade, rollingConfig, switchover } from "./planned";
import { agentFrozen, allKilled, allPodsDeleted, frozen, keptAway, kill, podDeletion } from "./sudden";

/** In the order of the page. */
export const faults = {
  kill,
  "pod-deletion": podDeletion,
  "kept-away": keptAway,
  frozen,
  "agent-frozen": agentFrozen,
  switchover,
  "rolling-config": rollingConfig,
  "minor-upgrade": minorUpgrade,
  "all-pods-deleted": allPodsDeleted,
  "all-killed": allKilled,
  "cut-off": isolated,
  "cut-off-members": cutOffFromMembers,
  "cut-off-api": cutOffFromApi,
  "api-frozen": apiFrozen,
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;

export const faultNames: readonly FaultName[] = Object.keys(faults).filter(isFaultName);

/** Whether a text names a fault. */
export function isFaultName(text: string): text is FaultName {
  return Object.hasOwn(faults, text);
}
