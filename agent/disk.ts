// Files: whether one is there, and that it survives a stop of the machine.
import { access, open } from "node:fs/promises";

/** Whether there is a file or directory of this name. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Whether an error says that there is no file or directory of that name. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

/** Resolves when a file, or what was created, renamed or removed in a directory, is on disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
