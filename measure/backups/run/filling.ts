// The rows that make a Database as large as is asked for. Pure.
import type { EngineName } from "../../availability/matrix";

/** Statements, by engine: `run` with an open session of an application. */
export interface Filling {
  readonly prepare: readonly string[];
  /** Rows with these ids, both included. */
  insert(first: number, last: number): string;
  /** What a server would do by itself some time after that, and would write much for: done before anything is measured. */
  readonly settle: readonly string[];
  /** Count, first and last id, and a checksum of what is in the rows. */
  readonly digest: string;
}

/** In one statement: some 16 MiB, and as much WAL. */
export const rowsAtOnce = 16_384;

/** Of 1 KiB each. */
export const rowsFor = (gibibytes: number): number => gibibytes * 1024 ** 2;

const parts = [1, 2, 3, 4, 5, 6, 7, 8] as const;

const ofPostgresql = parts.map((part) => `encode(sha512((i || ':${part}')::bytea), 'hex')`).join(" || ");
const ofMysql = parts.map((part) => `sha2(concat(i, ':${part}'), 512)`).join(", ");

/** Digits of hashes: half of their bits are of no use, and nothing in them repeats. */
export const fillings: Readonly<Record<EngineName, Filling>> = {
  postgresql: {
    prepare: ["create table filled (id bigint primary key, payload text not null)"],
    insert: (first, last) => `insert into filled select i, ${ofPostgresql} from generate_series(${first}, ${last}) i`,
    settle: ["vacuum (freeze, analyze) filled"],
    digest: "select count(*), min(id), max(id), sum(hashtextextended(payload, 0)) from filled",
  },
  mysql: {
    prepare: [
      "create table filled (id bigint primary key, payload varchar(1024) character set ascii not null)",
      `set session cte_max_recursion_depth = ${rowsAtOnce + 1}`,
    ],
    insert: (first, last) =>
      `insert into filled with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${last}) select i, concat(${ofMysql}) from n`,
    settle: ["analyze table filled"],
    digest: "select count(*), min(id), max(id), sum(crc32(payload)) from filled",
  },
};

/** The first and the last id of each statement. */
export function batchesOf(rows: number): readonly (readonly [first: number, last: number])[] {
  const count = Math.ceil(rows / rowsAtOnce);
  return Array.from({ length: count }, (_, index) => [
    index * rowsAtOnce + 1,
    Math.min(rows, (index + 1) * rowsAtOnce),
  ]);
}
