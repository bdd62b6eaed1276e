// What the Job of a major upgrade of PostgreSQL runs.
import { majorOf } from "../../../contract/versions";
import type { UpgradeJob } from "../../args";
import { backupDirectory, underInit } from "../../pod";
import type { Settings } from "../../settings";
import type { RestoreProgram } from "../engine";
import { dataDirectory, serverMounts, serverVolumes, users } from "./containers";

/** The program; see `agent/postgresql/upgrade`. What was put back comes again as it went: the other way round. */
export function upgradeProgram({ name }: Settings, { act, ...versions }: UpgradeJob): RestoreProgram {
  const isReturn = act === "return" || act === "reinstate";
  const { from, to } = act === "reinstate" ? { from: versions.to, to: versions.from } : versions;
  return {
    command: underInit(["postgresql-upgrade"]),
    env: {
      UPGRADE_ACT: isReturn ? "return" : act,
      UPGRADE_FROM: majorOf(from),
      UPGRADE_TO: majorOf(to),
      DATA_DIRECTORY: dataDirectory,
      SUPERUSER: users.superuser,
      DATABASE_NAME: name,
      ...(act === "rehearse" && { BACKUP_DIRECTORY: backupDirectory }),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}
