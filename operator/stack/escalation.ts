// How a run that must end early is ended: step by step, each after the one before had its time.

export interface EscalationStep {
  /** How long after what came before, in milliseconds. */
  readonly afterMs: number;
  readonly act: () => void;
}

/** Calls `first` once `signal` aborts, and then takes the steps. The returned function calls off what is left. */
export function escalateOn(signal: AbortSignal, first: () => void, steps: readonly EscalationStep[]): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = ([next, ...others]: readonly EscalationStep[]): void => {
    if (next === undefined) return;
    timer = setTimeout(() => {
      next.act();
      wait(others);
    }, next.afterMs);
  };
  const abort = (): void => {
    first();
    wait(steps);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
}
