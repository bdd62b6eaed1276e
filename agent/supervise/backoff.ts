// How long to wait before a server is started again.

const longestMs = 30_000;

/** A tenth of a second at first, so that a killed server is back at once; then a second, doubled up to half a minute. */
export function backoffMs(failures: number): number {
  if (failures <= 1) return 100;
  return Math.min(longestMs, 1_000 * 2 ** (failures - 2));
}
