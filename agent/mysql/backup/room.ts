// Room for another backup on the volume: the oldest ones give way, down to the newest one and those that are kept.
import { removeBackup } from "../../backup-volume";
import { surplusOf, type Retention } from "../../backups";
import { log } from "../../log";
import { roomOn } from "../../volume/room";
import { backupsIn, type Backup } from "./retention";

/** What the copy has beside its tables. */
const marginBytes = 32 * 1024 ** 2;

/** What needs room. */
export interface Need {
  readonly directory: string;
  readonly database: string;
  readonly group: string;
  readonly bytes: number;
  readonly kept: Retention["kept"];
}

/** Which may give way, oldest first: of the same group, and never the newest one of it. */
export function givingWay(backups: readonly Backup[], { group, kept }: Pick<Need, "group" | "kept">): string[] {
  const own = backups.filter((backup) => backup.group === group).map(({ name }) => name);
  const newest = own.at(-1);
  return newest === undefined ? [] : surplusOf(own, { newest, retention: 1, kept });
}

/** Makes room. Throws where there is none. */
export async function makeRoom(need: Need): Promise<void> {
  const { directory, database, bytes } = need;
  const wanted = bytes + marginBytes;
  const old = givingWay(await backupsIn(directory, database), need);
  for (;;) {
    const { free } = await roomOn(directory);
    if (free >= wanted) return;
    const oldest = old.shift();
    if (oldest === undefined) {
      const [has, takes] = [free, wanted].map((size) => `${Math.ceil(size / 1024 ** 2)} MiB`);
      throw new Error(
        `the backup takes up ${takes}, and the volume has ${has} free: raise spec.backup.destination.volume.size`,
      );
    }
    await removeBackup(directory, oldest);
    log("removed, as another backup would not fit", { name: oldest });
  }
}
