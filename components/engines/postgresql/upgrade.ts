// What the Job of a major upgrade of PostgreSQL runs.
import { majorOf } from "../../../contract/versions";
import type { UpgradeJob } from "../../args";
import { backupDirectory, underInit } from "../../pod";
import type { Settings } from "../../settings";
import type { RestoreProgram } from "../engine";
import { dataDirectory, serverMounts, serverVolumes, users } from "./containers";

/** The program; see `agent/postgresql/upgrade`. */
export function upgradeProgram({ name }: Settings, { act, from, to }: UpgradeJob): RestoreProgram {
  return {
    command: underInit(["postgresql-upgrade"]),
    env: {
      UPGRADE_ACT: act,
      UPGRADE_FROM: majorOf(from),
      UPGRADE_TO: majorOf(to),
      DATA_DIRECTORY: dataDirectory,
      SUPERUSER: users.superuser,
      ...(act === "rehearse" && { DATABASE_NAME: name, BACKUP_DIRECTORY: backupDirectory }),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}
