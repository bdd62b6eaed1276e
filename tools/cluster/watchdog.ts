// Ends a cluster when the process that started it has died: runs beside it, and sees the end of the pipe between them.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";

/** Word that says to a watchdog that its cluster may live on. */
export const RELEASE = "release\n";

/** Ends a cluster when this process ends in any way before it has released it. */
export interface Watchdog {
  /** The cluster is no longer tied to this process. */
  release(): Promise<void>;
}

/** Starts a watchdog for the cluster in `directory`. It does not keep this process from ending. */
export function startWatchdog(directory: string): Watchdog {
  const loader = pathToFileURL(require.resolve("tsx")).href;
  const child = spawn(process.execPath, ["--import", loader, require.resolve("./watchdog-main"), directory], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => undefined);
  child.unref();
  const { stdin } = child;
  // the watchdog may be gone already when it is released
  stdin.on("error", () => undefined);
  // a child's pipe is a socket
  if (stdin instanceof Socket) stdin.unref();
  return {
    release: () =>
      new Promise((resolve) => {
        stdin.end(RELEASE, () => {
          resolve();
        });
      }),
  };
}
