// Where the data of a new Database are, as the Job that fetches them has it: on a volume, or on a server elsewhere.
import type { RestoreOrigin } from "./args";
import { backupDirectory, type Environment } from "./pod";
import { sourceEnvironment } from "./source-server";

type VolumeOrigin = Extract<RestoreOrigin, { readonly claim: string }>;

/** Of a backup on a volume, and up to when changes since then are taken in. */
export const volumeEnvironment = ({ label, until }: VolumeOrigin): Environment => ({
  BACKUP_DIRECTORY: backupDirectory,
  ...(label !== undefined && { BACKUP_LABEL: label }),
  ...(until !== undefined && { RESTORE_UNTIL: until }),
});

/** Of what is not in object storage. */
export const originEnvironment = (origin: Exclude<RestoreOrigin, { readonly stored: unknown }>): Environment =>
  "server" in origin ? sourceEnvironment(origin.server) : volumeEnvironment(origin);
