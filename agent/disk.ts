// Files: whether one is there, and that it survives a stop of the machine.
import { access, open } from "node:fs/promises";

/** Whether there is a file or directory of this name. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Resolves when a file, or what was created, renamed or removed in a directory, is on disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
