// What the status says of where the data of a Database came from: pure.
import type { DatabaseStatus } from "../api/status";
import { locationOf, untilBackup, untilLast, volumeLocationOf, type Restored } from "../domain/restore";

/** Undefined where they came from nowhere, or are not there yet. */
export function restoredFromOf(restored: Restored | undefined): DatabaseStatus["restoredFrom"] {
  if (restored?.isDone !== true) return undefined;
  if (!("stored" in restored)) return fromVolume(restored);
  const { backup, stored } = restored;
  const { label, storage, until } = stored;
  return {
    ...(backup !== undefined && { backup }),
    ...(label !== undefined && { label }),
    location: locationOf(storage),
    ...(until !== untilBackup && until !== untilLast && { pointInTime: until }),
  };
}

const fromVolume = ({
  backup,
  claim,
  label,
  until,
}: Extract<Restored, { claim: string }>): NonNullable<DatabaseStatus["restoredFrom"]> => ({
  ...(backup === undefined ? { location: volumeLocationOf(claim) } : { backup }),
  ...(label !== undefined && { label }),
  ...(until !== undefined && until !== untilLast && { pointInTime: until }),
});
