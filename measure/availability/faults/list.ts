// The closed list of faults.
import { cutOffFromMembers, isolated } from "./cut-off";
import type { Fault } from "./fault";
import { apiFrozen } from "./kubernetes";
import { minorUpgrade, rollingConfig, switchover } from "./planned";
import { agentFrozen, allKilled, allPodsDeleted, frozen, keptAway, kill, podDeletion } from "./sudden";

export const faultNames = [
  "kill",
  "pod-deletion",
  "kept-away",
  "frozen",
  "agent-frozen",
  "switchover",
  "rolling-config",
  "minor-upgrade",
  "all-pods-deleted",
  "all-killed",
  "cut-off",
  "cut-off-members",
  "api-frozen",
] as const;
export type FaultName = (typeof faultNames)[number];

export const faults: Readonly<Record<FaultName, Fault>> = {
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
  "api-frozen": apiFrozen,
};
