// Which backups retention must not remove, where the watches do not show it: those of the last run. To forget one would cost its data.
import type { Desired } from "../domain/desired";
import type { StackRecord } from "../domain/records";

/** What is desired, with the backups that are kept. */
export const withKeptBackups = (
  desired: Desired,
  record: Pick<StackRecord, "keptBackups"> | undefined,
): Desired & Required<Pick<Desired, "keptBackups">> => ({
  ...desired,
  keptBackups: desired.keptBackups ?? record?.keptBackups ?? [],
});
