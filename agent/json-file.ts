// Notes on a volume, as JSON.
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { isMissing, syncToDisk } from "./disk";
import { textOf } from "./log";

/** Undefined where there is no such file. Throws where it cannot be read, or is something else: what it says may be there all the same. */
export async function readNote<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new DamagedNote(`${file} is damaged: ${textOf(error)}`, { cause: error });
  }
}

/** A note that was read, and is none. */
export class DamagedNote extends Error {
  override readonly name = "DamagedNote";
}

/** It has its name once it is complete and on disk. */
export async function writeNote(directory: string, name: string, note: unknown): Promise<void> {
  const draft = join(directory, `${name}.draft`);
  await writeFile(draft, `${JSON.stringify(note)}\n`, { flush: true });
  await rename(draft, join(directory, name));
  await syncToDisk(directory);
}
