// Executes tasks of several kinds, some at a time: so many in all, so many of each kind, and no more than the machine can bear.
import { cpus, loadavg } from "node:os";

export interface Task<T> {
  readonly kind: string;
  /** How many of its kind may run at a time. */
  readonly atOnce: number;
  readonly run: () => Promise<T>;
}

/** Processes that wait for each processor, over the last minute, from which another task would only make those that run late. */
const mostWaiting = 8;

/** So many always run: what keeps the machine busy may be another's, and would never end. */
const leastAtOnce = 2;

/** How often a machine that had no room is looked at again, in milliseconds. */
const lookEveryMs = 2000;

/** Whether so many processes want the processors that another task would find none. */
const isMachineBusy = (): boolean => (loadavg()[0] ?? 0) > mostWaiting * cpus().length;

/**
 * Resolves with the results in the order of the tasks. Whenever there is room the first begins whose kind has room; beyond two only while
 * `isBusy` says no. Rejects with the first error.
 */
export function pooled<T>(
  tasks: readonly Task<T>[],
  atOnce: number,
  isBusy: () => boolean = isMachineBusy,
): Promise<T[]> {
  const waiting = tasks.map((task, index) => ({ task, index }));
  const running = new Map<string, number>();
  const results = new Array<T>(tasks.length);
  const count = (kind: string, change: number): void => {
    running.set(kind, (running.get(kind) ?? 0) + change);
  };
  const total = (): number => [...running.values()].reduce((sum, some) => sum + some, 0);
  return new Promise((resolve, reject) => {
    let look: NodeJS.Timeout | undefined;
    const fill = (): void => {
      clearTimeout(look);
      if (waiting.length === 0 && total() === 0) resolve(results);
      while (waiting.length > 0 && total() < atOnce) {
        if (total() >= leastAtOnce && isBusy()) {
          look = setTimeout(fill, lookEveryMs);
          return;
        }
        const next = waiting.findIndex(({ task }) => (running.get(task.kind) ?? 0) < task.atOnce);
        const [found] = next < 0 ? [] : waiting.splice(next, 1);
        if (found === undefined) return;
        begin(found);
      }
    };
    const begin = ({ task, index }: { readonly task: Task<T>; readonly index: number }): void => {
      count(task.kind, 1);
      task.run().then((result) => {
        results[index] = result;
        count(task.kind, -1);
        fill();
      }, reject);
    };
    fill();
  });
}
