// Time limits of clients.

/** What was asked for did not come in time. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(withinMs: number) {
    super(`no answer within ${withinMs} ms`);
  }
}

/** The result of `work`, or TimedOut; then `giveUp` ends what is in progress, and how `work` ends is of no interest any more. */
export function within<T>(withinMs: number, work: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new TimedOut(withinMs));
      giveUp();
    }, withinMs);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
