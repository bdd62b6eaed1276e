// What a PostgreSQL server needs of memory at its start at the least: buffers to the byte, tables of locks and processes by less than 15 says
// (postgres -C shared_memory_size).
import type { Settings } from "../../settings";
import type { ParameterProblem } from "../engine";
import { memoryProblemsOf, type MemoryNeed } from "../memory";
import { knownFor, likeliest } from "./known-parameters";
import { parametersOf } from "./configuration";
import { processParameters, processesOf } from "./processes";
import { bytesOf } from "./values";

const buffers = `shared_buffers wal_buffers min_dynamic_shared_memory commit_timestamp_buffers multixact_member_buffers
  multixact_offset_buffers notify_buffers serializable_buffers subtransaction_buffers transaction_buffers`.split(/\s+/);

/** In bytes, of a lock of either kind and of what a process has beside its locks. */
const least = { lock: 300, predicateLock: 200, process: 6 * 1024 };
const defaultLocks = 64;

/** See `memoryProblemsOf`. */
export function memoryProblems(settings: Settings): ParameterProblem[] {
  const { config, version } = settings;
  const known = knownFor(version) ?? likeliest;
  const processes = processesOf(parametersOf(settings));
  const bytes = (name: string): number => Math.max(0, bytesOf(config[name] ?? "", known[name]?.unit) ?? 0);
  const needs: Record<string, number> = {
    ...Object.fromEntries(buffers.map((name) => [name, bytes(name)])),
    track_activity_query_size: bytes("track_activity_query_size") * processes,
    max_locks_per_transaction: bytes("max_locks_per_transaction") * processes * least.lock,
    max_pred_locks_per_transaction: bytes("max_pred_locks_per_transaction") * processes * least.predicateLock,
  };
  const locks = config["max_locks_per_transaction"] === undefined ? defaultLocks * least.lock : 0;
  const predicateLocks =
    config["max_pred_locks_per_transaction"] === undefined ? defaultLocks * least.predicateLock : 0;
  for (const name of [...processParameters, "max_prepared_transactions"]) {
    needs[name] = bytes(name) * (least.process + locks + predicateLocks);
  }
  return memoryProblemsOf(
    settings,
    Object.entries(needs)
      .filter(([, need]) => need > 0)
      .map(([parameter, need]): MemoryNeed => ({ parameter, bytes: need })),
  );
}
