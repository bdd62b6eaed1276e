// measure/availability/results/failover.jsonl: a line for each cell that was measured; a later line of the same cell replaces an earlier one.
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { median } from "../../bench/instruments/percentile";
import { anomalyKinds } from "../consistency/anomalies";
import { kindsOf } from "../consistency/check";
import { faultNames } from "../faults/list";
import { engineNames, modes, type Cell } from "../matrix";
import type { Try } from "../try";

const file = join(__dirname, "../results/failover.jsonl");

const Result = z.object({
  engine: z.enum(engineNames),
  fault: z.enum(faultNames),
  mode: z.enum(modes),
  replication: z.enum(["asynchronous", "synchronous", "group"]),
  version: z.string(),
  members: z.number(),
  /** Tries that came to an end. */
  tries: z.number(),
  /** Tries that did not: writes or members did not come back in time. */
  failed: z.number(),
  /** Longest time between two acknowledgements over all clients. */
  outage_p50_s: z.number(),
  outage_max_s: z.number(),
  /** The same for the client that it hit worst, in any try. */
  client_max_s: z.number(),
  /** Until all members were complete again; for planned changes, how long these took. */
  whole_max_s: z.number(),
  acked: z.number(),
  lost: z.number(),
  /** Tries with lost rows. */
  lossy_tries: z.number(),
  unknown: z.number(),
  unknown_found: z.number(),
  refused: z.number(),
  /** Looks in which two members accepted writes. */
  two_writers: z.number(),
  /** Acknowledged transactions with lists, and which anomalies they showed; missing where lists were not taken. */
  lists: z.object({ transactions: z.number(), anomalies: z.array(z.enum(anomalyKinds)) }).optional(),
  /** Connections that were opened for one statement each, and what became of them; missing where none were. */
  connections: z.object({ opened: z.number(), refused: z.number(), hung: z.number(), stale: z.number() }).optional(),
  date: z.string(),
  commit: z.string(),
});
export type Result = z.infer<typeof Result>;

/** What holds for all lines of a run. */
export interface Circumstances {
  readonly version: string;
  readonly members: number;
  readonly date: string;
  readonly commit: string;
}

/** Sums tries up. Throws where there are none, or where a measurement contradicts itself. */
export function resultOf(cell: Cell, tries: readonly Try[], failed: number, circumstances: Circumstances): Result {
  const outages = tries.map(({ outage }) => outage.overallMs);
  const sum = (of: (one: Try) => number): number => tries.reduce((total, one) => total + of(one), 0);
  const most = (of: (one: Try) => number): number => Math.max(...tries.map(of));
  const impossible = sum(({ account }) => account.impossible);
  if (impossible > 0) throw new Error(`${impossible} rows are there that were never sent or that were refused`);
  return {
    engine: cell.engine,
    fault: cell.fault,
    mode: cell.mode,
    replication: cell.replication,
    version: circumstances.version,
    members: circumstances.members,
    tries: tries.length,
    failed,
    outage_p50_s: seconds(median(outages)),
    outage_max_s: seconds(Math.max(...outages)),
    client_max_s: seconds(most(({ outage }) => outage.worstClientMs)),
    whole_max_s: seconds(most(({ wholeMs }) => wholeMs)),
    acked: sum(({ account }) => account.acknowledged),
    lost: sum(({ account }) => account.lost),
    lossy_tries: tries.filter(({ account }) => account.lost > 0).length,
    unknown: sum(({ account }) => account.unknown),
    unknown_found: sum(({ account }) => account.unknownFound),
    refused: sum(({ account }) => account.refused),
    two_writers: sum(({ twoWriters }) => twoWriters.length),
    lists: {
      transactions: sum(({ consistency }) => consistency.transactions),
      anomalies: [...kindsOf(tries.flatMap(({ consistency }) => consistency.anomalies))],
    },
    connections: {
      opened: sum(({ newConnections }) => newConnections.opened),
      refused: sum(({ newConnections }) => newConnections.refused),
      hung: sum(({ newConnections }) => newConnections.hung),
      stale: sum(({ newConnections }) => newConnections.stale),
    },
    date: circumstances.date,
    commit: circumstances.commit,
  };
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100;

export const resultsIn = (text: string): Result[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => Result.parse(JSON.parse(line)));

/** The last result of each cell, in the order of the file's last lines. */
export function latestOf(results: readonly Result[]): readonly Result[] {
  const key = ({ engine, members, fault, mode, replication }: Result): string =>
    [engine, members, fault, mode, replication].join("/");
  return [...new Map(results.map((result) => [key(result), result])).values()];
}

export async function readResults(): Promise<readonly Result[]> {
  return resultsIn(await readFile(file, "utf8").catch(() => ""));
}

export async function appendResult(result: Result): Promise<void> {
  await appendFile(file, `${JSON.stringify(result)}\n`);
}
