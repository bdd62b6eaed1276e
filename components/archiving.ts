// Whether what changes between backups is kept on their volume.
import { factsOf } from "../contract/engines";
import type { Settings } from "./settings";

/** Then the Deployment `<name>-archive` does so. */
export const isArchived = ({ engine, backup }: Pick<Settings, "engine" | "backup">): boolean =>
  backup.enabled &&
  backup.s3 === undefined &&
  backup.pointInTime === true &&
  factsOf(engine).keepsChanges.includes("on the backup volume");
