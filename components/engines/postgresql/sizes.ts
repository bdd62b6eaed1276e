// Parameters that follow from the size of a member: its memory, its processors and its volume.
import type { Settings } from "../../settings";
import { cpusOf, mebibytesOf, quantityOf } from "../../quantities";

/** Connections at a time, unless the user says otherwise. */
export const defaultConnections = "100";

/** What a member has. */
interface Size {
  /** Memory in MiB, where a limit or a request says so. */
  readonly memory?: number;
  /** Processors, rounded up, where a limit or a request says so. */
  readonly cpus?: number;
  /** Volume in MiB. */
  readonly storage?: number;
  readonly connections: number;
}

/** A parameter that follows from a size. */
export interface SizedParameter {
  readonly name: string;
  /** Of what: a pod keeps its size as long as it lives, a volume grows under a running server. */
  readonly of: "pod" | "volume";
  /** How, in words; units as the server writes them. */
  readonly rule: string;
  /** Why, in one line. */
  readonly reason: string;
  /** Its value, or nothing where the size that it follows from is not known. */
  readonly value: (size: Size) => string | undefined;
}

const between = (least: number, value: number, most: number): number =>
  Math.floor(Math.min(Math.max(value, least), most));

const megabytes = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${Math.floor(value)}MB`;

/** `value` of a size that is known, else nothing. */
function given<S, T>(size: S | undefined, value: (size: S) => T): T | undefined {
  return size === undefined ? undefined : value(size);
}

/** All of them; docs/databases/postgresql.md has them as a table. */
export const sizedParameters: readonly SizedParameter[] = [
  {
    name: "shared_buffers",
    of: "pod",
    rule: "memory / 4",
    reason: "the usual share; the rest serves queries and the page cache",
    value: ({ memory }) => megabytes(given(memory, (size) => size / 4)),
  },
  {
    name: "effective_cache_size",
    of: "pod",
    rule: "memory × 3/4",
    reason: "what the planner may assume to be cached, by the server or the kernel",
    value: ({ memory }) => megabytes(given(memory, (size) => (size * 3) / 4)),
  },
  {
    name: "maintenance_work_mem",
    of: "pod",
    rule: "memory / 16, from 16MB to 1GB",
    reason: "three autovacuum workers and an index build at a time stay within a quarter",
    value: ({ memory }) => megabytes(given(memory, (size) => between(16, size / 16, 1024))),
  },
  {
    name: "work_mem",
    of: "pod",
    rule: "memory / 4 / max_connections, from 1MB to 64MB",
    reason: "every connection may sort at the same time without the member running out of memory",
    value: ({ memory, connections }) =>
      given(memory, (size) => `${between(1024, (size * 1024) / 4 / connections, 65536)}kB`),
  },
  {
    name: "max_worker_processes",
    of: "pod",
    rule: "CPUs, at least 8",
    reason: "parallel queries, logical replication and extensions share these processes",
    value: ({ cpus }) => given(cpus, (count) => String(Math.max(8, count))),
  },
  {
    name: "max_parallel_workers",
    of: "pod",
    rule: "CPUs",
    reason: "more processes than processors slow each other down",
    value: ({ cpus }) => given(cpus, String),
  },
  {
    name: "max_parallel_workers_per_gather",
    of: "pod",
    rule: "CPUs / 2, at most 4",
    reason: "one query leaves half of the processors to the others; with one processor none is parallel",
    value: ({ cpus }) => given(cpus, (count) => String(between(0, count / 2, 4))),
  },
  {
    name: "max_parallel_maintenance_workers",
    of: "pod",
    rule: "CPUs / 2, at most 4",
    reason: "the same for index builds and vacuum",
    value: ({ cpus }) => given(cpus, (count) => String(between(0, count / 2, 4))),
  },
  {
    name: "max_wal_size",
    of: "volume",
    rule: "storage / 10, from 64MB to 2GB",
    reason: "WAL between two checkpoints fills no small volume, and a crash recovery stays short",
    value: ({ storage }) => megabytes(given(storage, (size) => between(64, size / 10, 2048))),
  },
  {
    name: "min_wal_size",
    of: "volume",
    rule: "storage / 40, from 32MB to 512MB",
    reason: "a quarter of max_wal_size is kept for use again, so that bursts make no new files",
    value: ({ storage }) => megabytes(given(storage, (size) => between(32, size / 40, 512))),
  },
  {
    name: "max_slot_wal_keep_size",
    of: "volume",
    rule: "storage / 4, at least 256MB",
    reason: "the primary keeps WAL for a replica that is down, but never until its volume is full",
    value: ({ storage }) => megabytes(given(storage, (size) => Math.max(256, size / 4))),
  },
  {
    name: "wal_keep_size",
    of: "volume",
    rule: "storage / 20, from 64MB to 1GB",
    reason: "pg_rewind, and a replica that has lost its slot, find the recent WAL",
    value: ({ storage }) => megabytes(given(storage, (size) => between(64, size / 20, 1024))),
  },
];

/** The sized parameters of a member, by name: all of them, or those of its pod or its volume. */
export function sizedParametersOf(settings: Settings, only?: SizedParameter["of"]): Record<string, string> {
  const size = sizeOf(settings);
  const wanted = sizedParameters.filter((parameter) => only === undefined || parameter.of === only);
  return Object.fromEntries(
    wanted.flatMap(({ name, value }) => {
      const sized = value(size);
      return sized === undefined ? [] : [[name, sized]];
    }),
  );
}

function sizeOf({ resources, storage, config }: Settings): Size {
  const memory = mebibytesOf(quantityOf(resources, "memory"));
  const connections = Number(config["max_connections"] ?? defaultConnections);
  return {
    // with less the server's own defaults are no worse a guess
    memory: memory !== undefined && memory >= 128 ? memory : undefined,
    cpus: cpusOf(quantityOf(resources, "cpu")),
    storage: mebibytesOf(storage),
    connections: connections >= 1 ? connections : Number(defaultConnections),
  };
}
