// Whether the disks have room for what a run of tests writes: on a full one tests fail at random places, and none says why.
import { statfs } from "node:fs/promises";

const GIGABYTE = 1e9;

/** What is known of the file system that a directory is on. */
export type FreeBytes = (directory: string) => Promise<number>;

const freeBytes: FreeBytes = async (directory) => {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
};

/** Throws unless as many bytes are free on the file system of each directory. `free`: by default what this machine says. */
export async function assertRoom(
  needed: number,
  directories: readonly string[],
  free: FreeBytes = freeBytes,
): Promise<void> {
  for (const directory of directories) {
    const found = await free(directory);
    if (found >= needed) continue;
    const [has, needs] = [found, needed].map((bytes) => `${(bytes / GIGABYTE).toFixed(1)} GB`);
    throw new Error(
      `${directory}: ${has} of the disk are free, and these tests need ${needs}: make room, then run them again`,
    );
  }
}
