// What restore drills show of a backup: pure. It stays known when their Jobs have gone.
import type { BackupStatus } from "../api/backups/status";
import type { Drill } from "../domain/drills";

/** Whether it shows something of the backup itself: what is broken behind it is no fault of it, and the Database's condition says that. */
const isOfBackup = ({ report: { verdict, finding } }: Drill): boolean =>
  verdict !== "NotTried" && finding !== "ArchiveDamaged";

/** The status with what the latest drill of this backup found. `drills`: the latest first. */
export function withDrill(status: BackupStatus, drills: readonly Drill[]): BackupStatus {
  if (status.label === undefined) return status;
  const drill = drills.find((one) => one.report.verified === status.label && isOfBackup(one));
  if (drill === undefined || isBefore(drill.finishedAt, status.verification?.at)) return status;
  const { finishedAt: at, report } = drill;
  const succeeded = report.verdict === "Passed";
  const verified: BackupStatus = { ...status, verifiedAt: at };
  if (!succeeded) delete verified.verifiedAt;
  return {
    ...verified,
    verification: {
      at,
      succeeded,
      ...(report.recoverySeconds !== undefined && { seconds: report.recoverySeconds }),
      message: report.message,
    },
  };
}

const isBefore = (time: string, other: string | undefined): boolean =>
  other !== undefined && Date.parse(time) < Date.parse(other);
