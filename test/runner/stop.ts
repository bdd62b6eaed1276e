// A run that is asked to end takes its processes along: of a runner that is gone, tests would keep running for up to an hour.
import { constants } from "node:os";

const stopping = new AbortController();

/** Aborted when the run is asked to end; what it started is given this, and ends with it. */
export const stop: AbortSignal = stopping.signal;

/** Ends the run's processes, and then this one, on SIGINT, SIGTERM and SIGHUP; the code is the shell's, such as 143 for SIGTERM. */
export function stopOnSignals(): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => {
      stopping.abort();
      process.exit(128 + constants.signals[name]);
    });
  }
}
