// How large a volume is, and how much of it is free: as its file system says.
import { statfs } from "node:fs/promises";

/** Of a volume, in bytes. */
export interface Room {
  readonly free: number;
  readonly total: number;
}

/** What the volume has for users other than root. */
export async function roomOn(directory: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, total: blocks * bsize };
}
