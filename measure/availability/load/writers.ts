// Which members accept writes at the same moment: the judgement of samples.

/** One look at a member: whether it acknowledged a write. Times are milliseconds of one clock. */
export interface Sample {
  /** One running server: a pod that was created again is another. */
  readonly server: string;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly writable: boolean;
}

/** Two servers that both acknowledged a write, in looks that overlapped in time. */
export interface TwoWriters {
  readonly servers: readonly [string, string];
  readonly at: number;
}

/**
 * Moments at which two servers accepted writes. A look lasts from the sending of the statement to its answer, and the commit
 * lies somewhere in between; so any overlap of two looks counts, even one that may have been none.
 */
export function twoWritersIn(samples: readonly Sample[]): readonly TwoWriters[] {
  const writable = samples.filter((sample) => sample.writable).sort((left, right) => left.sentAt - right.sentAt);
  return writable.flatMap((sample, index) => {
    const found: TwoWriters[] = [];
    for (const later of writable.slice(index + 1)) {
      if (later.sentAt > sample.endedAt) break;
      if (later.server !== sample.server) found.push({ servers: [sample.server, later.server], at: later.sentAt });
    }
    return found;
  });
}
