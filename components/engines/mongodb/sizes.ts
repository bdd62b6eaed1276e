// Parameters that follow from the memory of a member.
import type { Resources } from "../../args";
import { mebibytesOf, quantityOf } from "../../quantities";

/** The parameter that is computed. */
export const cacheSize = "storage.wiredTiger.engineConfig.cacheSizeGB";

/** The least that the server starts with, in GiB. */
const leastCache = 0.25;

/**
 * Half of the memory beyond the first GiB, as MongoDB itself reckons with a machine's memory: connections and sorting take the
 * rest, and the system's own cache holds compressed data.
 */
export function sizedParametersOf(resources: Resources): Record<string, string> {
  const mebibytes = mebibytesOf(quantityOf(resources, "memory"));
  if (mebibytes === undefined) return {};
  const cache = Math.max(leastCache, (mebibytes / 1024 - 1) / 2);
  return { [cacheSize]: String(Math.floor(cache * 100) / 100) };
}
