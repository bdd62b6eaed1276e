// What must survive a stop of the machine.
import { open } from "node:fs/promises";

/** Resolves when a file, or what was created, renamed or removed in a directory, is on disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
