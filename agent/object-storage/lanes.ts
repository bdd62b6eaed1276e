// Requests that are under way at the same time, as many as memory allows.

/**
 * Works on all items in their order, on so many at once, and resolves when all have ended. Where one fails no other is begun, and what it failed of is
 * thrown once those under way have ended.
 */
export async function inLanes<T>(
  items: AsyncIterable<T> | Iterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (item: T): void => {
    const one = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  };
  try {
    for await (const item of items) {
      if (failures.length > 0) break;
      begin(item);
      if (underWay.size >= lanes) await Promise.race(underWay);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}

/** Fetches all items, so many at once, and gives what comes of them in their order. */
export async function* ahead<T, R>(
  items: Iterable<T>,
  lanes: number,
  fetch: (item: T) => Promise<R>,
): AsyncIterable<R> {
  const underWay: Promise<R>[] = [];
  const begin = (item: T): void => {
    const one = fetch(item);
    // it may be another one that is waited for
    one.catch(() => undefined);
    underWay.push(one);
  };
  for (const item of items) {
    begin(item);
    const first = underWay.length >= lanes ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const one of underWay) yield await one;
}
