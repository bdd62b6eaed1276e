// What lies of PostgreSQL's backups in object storage, by its files and not by what pgBackRest lists.
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Their labels. */
export interface StoredBackups {
  readonly complete: readonly string[];
  /** Of which there are files and no manifest: they were cut off, or are being taken. */
  readonly parts: readonly string[];
}

/** `directory`: that of a cluster's backups, on this machine. */
export async function storedBackups(directory: string): Promise<StoredBackups> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(directory, join(parentPath, name))),
  );
  const labels = new Set([...files].flatMap((file) => /^(\d{8}-\d{6}F(?:_\d{8}-\d{6}[DI])?)\//.exec(file)?.[1] ?? []));
  const isComplete = (label: string): boolean => files.has(`${label}/backup.manifest`);
  return {
    complete: [...labels].filter(isComplete).sort(),
    parts: [...labels].filter((label) => !isComplete(label)).sort(),
  };
}
