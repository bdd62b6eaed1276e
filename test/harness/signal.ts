// Signals to processes of this machine that may end by themselves at any moment.
import { isCode } from "../../tools/host/lock";

/** Sends a signal; to a process that has ended meanwhile it is no error. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isCode(error, "ESRCH")) throw error;
  }
}
