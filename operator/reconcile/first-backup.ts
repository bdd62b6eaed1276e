// What becomes of the Job of the first backup where only the place of pods changes, or what they carry. Pure.
import { firstBackupJobName } from "../../components/naming";
import type { DatabaseProgram, Owner } from "../domain/desired";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";

/** One that waits for a node, or for its image, is created again where that changes; one that has succeeded is not taken again for it. */
export function firstBackupOf(
  key: Key,
  { name: database }: Pick<Owner, "name">,
  { world }: { readonly world: Pick<Ports["world"], "observe"> },
): Pick<DatabaseProgram, "retriesFirstBackup"> {
  const job = world.observe(key).jobs.find(({ name }) => name === firstBackupJobName(database));
  return job === undefined || job.state === "succeeded" ? {} : { retriesFirstBackup: true };
}
