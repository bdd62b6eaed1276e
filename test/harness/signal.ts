// Signals to processes of this machine that may end by themselves at any moment.

/** Sends a signal; to a process that has ended meanwhile it is no error. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
