// Programs and processes of this machine.
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where PATH has a program; undefined where the shell would not find it either. */
export async function findOnPath(program: string): Promise<string | undefined> {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(directory, program);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Sends a signal to a process, or to a group by its negative number. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself in between
  }
}
