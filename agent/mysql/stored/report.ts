// What is said of a backup in object storage, and of those beside it: pure.
import type { BackupReport, PresentBackup } from "../../../contract/backup-report";
import { oldestOf, secondAfter, secondOf, versionIn, type Retention } from "../../backups";
import type { Position } from "../copies/source";
import type { Entry, StoredBackup } from "./catalogue";

/** A backup that was taken. */
export interface Taken {
  readonly began: Date;
  readonly source: Pick<Position, "group" | "host" | "server">;
  readonly wanted: Retention;
  readonly entry: Pick<Entry, "bytes" | "storedBytes">;
}

/** Of itself. */
export const factsOf = ({ began, source, wanted, entry }: Taken, location: string): BackupReport => ({
  backup: wanted.newest,
  startedAt: secondOf(began),
  bytes: entry.bytes,
  storedBytes: entry.storedBytes,
  location,
  ...memberOf(source),
  cluster: source.group,
  ...versionOf(source),
});

/** Members report their host names, which begin with their own. */
const memberOf = ({ host }: Pick<Position, "host">): Pick<BackupReport, "member"> => {
  const [member] = host.split(".");
  return member === undefined ? {} : { member };
};

const versionOf = ({ server }: Pick<Position, "server">): Pick<BackupReport, "version"> => {
  const version = versionIn(server);
  return version === undefined ? {} : { version };
};

/** How many damaged ones are told, the newest. */
const mostDamaged = 10;

/** With what else is there of its group. */
export function withPresent(
  facts: BackupReport,
  backups: readonly StoredBackup[],
  wanted: Retention,
): { readonly report: BackupReport; readonly present: readonly PresentBackup[] } {
  const present = backups.map(({ label, entry }) => ({
    label,
    ...(entry !== undefined && { bytes: entry.bytes, completedAt: secondAfter(entry.copiedAt) }),
  }));
  const oldest = oldestOf(
    present.map(({ label }) => label),
    wanted,
  );
  const damaged = backups.filter(({ entry }) => entry === undefined).map(({ label }) => label);
  return {
    report: {
      ...facts,
      ...(oldest !== undefined && { oldest }),
      ...(damaged.length > 0 && { damaged: damaged.slice(-mostDamaged) }),
    },
    present,
  };
}
