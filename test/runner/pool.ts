// Executes tasks of several kinds, some at a time: so many in all, and so many of each kind.

export interface Task<T> {
  readonly kind: string;
  /** How many of its kind may run at a time. */
  readonly atOnce: number;
  readonly run: () => Promise<T>;
}

/** Resolves with the results in the order of the tasks. Whenever there is room the first begins whose kind has room. Rejects with the first error. */
export function pooled<T>(tasks: readonly Task<T>[], atOnce: number): Promise<T[]> {
  const waiting = tasks.map((task, index) => ({ task, index }));
  const running = new Map<string, number>();
  const results = new Array<T>(tasks.length);
  const count = (kind: string, change: number): void => {
    running.set(kind, (running.get(kind) ?? 0) + change);
  };
  const total = (): number => [...running.values()].reduce((sum, some) => sum + some, 0);
  return new Promise((resolve, reject) => {
    const fill = (): void => {
      if (waiting.length === 0 && total() === 0) resolve(results);
      while (total() < atOnce) {
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
