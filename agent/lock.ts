// Locks on files, as flock(1) takes them: other programs of the volume, in other pods as well, take the same.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** How a lock is taken. */
export interface LockOptions {
  /** Whether others may hold it as well that are content with that. Default: false. */
  readonly isShared?: boolean;
  /** What to say when it is held by another program. Default: it is waited for. */
  readonly refusal?: string;
}

/** Another program holds the lock. */
export class LockRefused extends Error {}

/** Does the work while it holds the lock. Throws the refusal where another program holds it. */
export async function withLock(path: string, options: LockOptions, work: () => Promise<void>): Promise<void> {
  const { isShared = false, refusal } = options;
  const flags = [isShared ? "--shared" : "--exclusive", ...(refusal === undefined ? [] : ["--nonblock"])];
  // the lock is that of a program which waits for its input to end, and so ends with this one in any case
  const child = spawn("flock", [...flags, path, "cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const held = once(child.stdout, "data").then(() => true);
  const refused = once(child, "close").then(() => false);
  // a refused one may have ended before it reads anything
  child.stdin.on("error", () => undefined);
  child.stdin.write("held\n");
  if (!(await Promise.race([held, refused])))
    throw refusal === undefined ? new Error(`${path} cannot be locked`) : new LockRefused(refusal);
  try {
    await work();
  } finally {
    child.stdin.end();
    await refused;
  }
}
