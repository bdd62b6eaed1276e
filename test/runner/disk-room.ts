// Whether the disks have room for what a run of tests writes: on a full one tests fail at random places, and none says why.
import { roomOn, type Room } from "../../agent/volume/room";

const GIGABYTE = 1e9;

/** Throws unless as many bytes are free on the file system of each directory. `look`: by default at those of this machine. */
export async function assertRoom(
  needed: number,
  directories: readonly string[],
  look: (directory: string) => Promise<Pick<Room, "free">> = roomOn,
): Promise<void> {
  for (const directory of directories) {
    const { free } = await look(directory);
    if (free >= needed) continue;
    const [has, needs] = [free, needed].map((bytes) => `${(bytes / GIGABYTE).toFixed(1)} GB`);
    throw new Error(
      `${directory}: ${has} of the disk are free, and these tests need ${needs}: make room, then run them again`,
    );
  }
}
