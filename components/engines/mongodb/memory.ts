// What the server's cache may take of a member's memory.
import type { Resources } from "../../args";
import type { Settings } from "../../settings";
import { mebibytesOf } from "../../quantities";
import type { ParameterProblem } from "../engine";
import { memoryProblemsOf } from "../memory";

const cacheSize = "storage.wiredTiger.engineConfig.cacheSizeGB";

/** The least that the server starts with, in GiB. */
const leastCache = 0.25;

/**
 * Half of the memory beyond the first GiB, as MongoDB itself reckons with a machine's memory: connections and sorting take the
 * rest, and the system's own cache holds compressed data.
 */
export function computedParametersOf(resources: Resources): Record<string, string> {
  const quantity = resources.limits?.["memory"] ?? resources.requests?.["memory"];
  const mebibytes = quantity === undefined ? undefined : mebibytesOf(quantity);
  if (mebibytes === undefined) return {};
  const cache = Math.max(leastCache, (mebibytes / 1024 - 1) / 2);
  return { [cacheSize]: String(Math.floor(cache * 100) / 100) };
}

/** See `memoryProblemsOf`. */
export function memoryProblems(settings: Settings): ParameterProblem[] {
  const gibibytes = Number(settings.config[cacheSize]);
  return memoryProblemsOf(settings, gibibytes > 0 ? [{ parameter: cacheSize, bytes: gibibytes * 1024 ** 3 }] : []);
}
