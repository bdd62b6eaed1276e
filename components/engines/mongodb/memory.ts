// What a MongoDB server fills of its memory: its cache.
import { cacheSize } from "./sizes";
import type { Settings } from "../../settings";
import type { ParameterProblem } from "../engine";
import { memoryProblemsOf } from "../memory";

/** See `memoryProblemsOf`. */
export function memoryProblems(settings: Settings): ParameterProblem[] {
  const gibibytes = Number(settings.config[cacheSize]);
  return memoryProblemsOf(settings, gibibytes > 0 ? [{ parameter: cacheSize, bytes: gibibytes * 1024 ** 3 }] : []);
}
