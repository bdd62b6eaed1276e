// Connections that are opened for one statement each, as by applications without a pool: what a new one finds behind the Service.
import { z } from "zod";
import type { Session, Target, TestedEngine } from "../engines/engine";
import { limits } from "./limits";
import { TimedOut, within } from "./within";

/** Between the beginnings of two, in milliseconds, whatever became of those before. */
const everyMs = 100;

/**
 * What became of one. `refused`: an error came. `hung`: no connection, or no answer on it, within a second. `stale`: it read less
 * than had been acknowledged before it was opened.
 */
export type Found = "answered" | "refused" | "hung" | "stale";

/** One connection. Times are milliseconds of one clock. */
export interface Opening {
  readonly sentAt: number;
  readonly found: Found;
}

export interface NewConnectionsOptions {
  readonly engine: Pick<TestedEngine, "connect">;
  readonly target: Target;
  /** Where clients insert rows of a number each, in ascending order. */
  readonly table: string;
  /** The client whose rows are read. */
  readonly client: number;
  /** The number of the last row of that client that was acknowledged, 0 where none was. */
  readonly acknowledged: () => number;
}

/** Starts to open connections; `stop` ends that, and returns all of them once each has its end. */
export function startNewConnections(options: NewConnectionsOptions): { stop(): Promise<readonly Opening[]> } {
  const openings: Promise<Opening>[] = [];
  const timer = setInterval(() => openings.push(open(options)), everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(openings);
    },
  };
}

async function open(options: NewConnectionsOptions): Promise<Opening> {
  const acknowledged = options.acknowledged();
  const sentAt = performance.now();
  try {
    const session = await options.engine.connect(options.target, limits.connect);
    const last = await lastNumber(session, options).finally(() => {
      session.destroy();
    });
    return { sentAt, found: last < acknowledged ? "stale" : "answered" };
  } catch (error) {
    return { sentAt, found: error instanceof TimedOut ? "hung" : "refused" };
  }
}

const Last = z.tuple([z.tuple([z.number().nullable()])]);

async function lastNumber(session: Session, { table, client }: NewConnectionsOptions): Promise<number> {
  const asked = session.run(`select max(number) from ${table} where client = ${client}`);
  const [[last]] = Last.parse(
    await within(limits.connect, asked, () => {
      session.destroy();
    }),
  );
  return last ?? 0;
}

/** How many there were, and how many of them were of no use. */
export interface NewConnections {
  readonly opened: number;
  readonly refused: number;
  readonly hung: number;
  readonly stale: number;
}

/** Counts those that were opened from then on. */
export function newConnectionsIn(openings: readonly Opening[], from: number): NewConnections {
  const counted = openings.filter(({ sentAt }) => sentAt >= from);
  const count = (found: Found): number => counted.filter((opening) => opening.found === found).length;
  return { opened: counted.length, refused: count("refused"), hung: count("hung"), stale: count("stale") };
}
