// What the status says of where the data of a Database came from: pure.
import type { DatabaseStatus } from "../api/status";
import { locationOf, untilBackup, untilLast, volumeLocationOf, type Restored } from "../domain/restore";

/** Of an import: undefined where they were not imported, or are not there yet. */
export function initializedFromOf(restored: Restored | undefined): DatabaseStatus["initializedFrom"] {
  if (restored?.isDone !== true || !("server" in restored)) return undefined;
  const { host, port, databases } = restored.server;
  return { host, port, databases: [...databases], ...restored.imported };
}

/** Of a restore: undefined where they came from no backup, or are not there yet. */
export function restoredFromOf(restored: Restored | undefined): DatabaseStatus["restoredFrom"] {
  if (restored?.isDone !== true || "server" in restored) return undefined;
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
