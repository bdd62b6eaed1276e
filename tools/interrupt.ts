// Lets a command clean up when it is interrupted, instead of dying on the spot.

/** How a command ends that a person interrupted. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly signal: NodeJS.Signals) {
    super("interrupted; everything it had started was ended");
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs `work` with a signal that is aborted by Ctrl-C and the like; `work` then cleans up and throws. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals): void => {
    controller.abort(new Interrupted(name));
  };
  for (const name of SIGNALS) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    // programs that were interrupted with us fail in their own words
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, abort);
  }
}
