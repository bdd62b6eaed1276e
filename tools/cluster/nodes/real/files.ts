// Files that other processes read while they change.
import { readFile, rename, writeFile } from "node:fs/promises";
import { isCode } from "../../../host/lock";

/** A file's text, or undefined when there is no such file. */
export async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Writes a file such that a reader sees the old text or the new one, never a part. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}
