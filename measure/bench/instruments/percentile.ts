// Percentiles of samples.

/** The value below or at which `percent` of the samples lie, by nearest rank. Throws where there are none. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new Error("there are no samples");
  return value;
}

export const median = (samples: readonly number[]): number => percentile(samples, 50);
