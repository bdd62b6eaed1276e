// What a MySQL server fills of its memory: the buffers that it allocates at its start.
import type { Settings } from "../../settings";
import type { ParameterProblem } from "../engine";
import { knownFor } from "./known-parameters";
import { memoryProblemsOf } from "../memory";
import { valueOf } from "./values";

const buffers = ["innodb_buffer_pool_size", "innodb_log_buffer_size", "key_buffer_size"];

/** See `memoryProblemsOf`. */
export function memoryProblems(settings: Settings): ParameterProblem[] {
  const { config, version } = settings;
  const known = knownFor(version);
  const needs = buffers.flatMap((parameter) => {
    const value = valueOf(config[parameter] ?? "", known[parameter] ?? { type: "integer" });
    return typeof value === "number" ? [{ parameter, bytes: value }] : [];
  });
  return memoryProblemsOf(settings, needs);
}
