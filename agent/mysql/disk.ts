// Whether a volume accepts writes: a server that waits for its disk looks like one that waits for others.
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Writes a file of a few bytes in the folder `volume`, flushes it, and removes it. False where that fails, or takes longer than `withinMs`. */
export async function takesWrites(volume: string, withinMs: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([probe(volume), delay(withinMs, false, { signal: late.signal })]);
  } catch {
    return false;
  } finally {
    late.abort();
  }
}

async function probe(volume: string): Promise<true> {
  const path = join(volume, "probe");
  const file = await open(path, "w");
  try {
    await file.write("probe");
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  return true;
}
