// What the kernel says of a process in `/proc/<pid>/stat`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Its fields from the state on, the third by proc(5); none where there is no such process. `directory`: where processes are. */
export async function statOf(directory: string, pid: number): Promise<readonly string[]> {
  const stat = await readFile(join(directory, String(pid), "stat"), "utf8").catch(() => "");
  // the name before it may have spaces and brackets
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
