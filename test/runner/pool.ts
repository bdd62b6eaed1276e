// Executes tasks of several kinds, some at a time: so many of each kind, and no more in all than there is room for.
import type { HasRoom } from "./machine-room";

export interface Task<T> {
  readonly kind: string;
  /** How many of its kind may run at a time. */
  readonly atOnce: number;
  readonly run: () => Promise<T>;
}

/** How often a machine that had no room is looked at again, in milliseconds. */
const lookEveryMs = 2000;

/**
 * Resolves with the results in the order of the tasks. Whenever there is room the first begins whose kind has room. Rejects with the first
 * error.
 */
export function pooled<T>(tasks: readonly Task<T>[], hasRoom: HasRoom): Promise<T[]> {
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
      for (;;) {
        const next = waiting.findIndex(({ task }) => (running.get(task.kind) ?? 0) < task.atOnce);
        if (next < 0) return;
        if (!hasRoom(total())) {
          look = setTimeout(fill, lookEveryMs);
          return;
        }
        waiting.splice(next, 1).forEach(begin);
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
