// One client of the load: it inserts numbered rows one after the other, and notes what became of each.
import { StatementRefused, type Target, type TestedEngine } from "../engines/engine";
import type { Attempt, Outcome } from "./account";
import { limits } from "./limits";
import { takeTurns } from "./turns";
import { within } from "./within";

export interface ClientOptions {
  readonly engine: TestedEngine;
  readonly target: Target;
  readonly table: string;
  /** Its number among the clients. */
  readonly client: number;
  /** Where it notes its attempts. */
  readonly attempts: Attempt[];
  readonly stopped: AbortSignal;
  /** For a statement to be answered, in milliseconds. Default: the limit that is documented. */
  readonly statementMs?: number;
  /** After an acknowledgement, in milliseconds. Default: the pause that is documented. */
  readonly pauseMs?: number;
}

/** Writes until it is stopped. */
export async function write(options: ClientOptions): Promise<void> {
  const { table, client, attempts, statementMs = limits.statement, pauseMs = limits.pause } = options;
  let number = 0;
  await takeTurns({ ...options, pauseMs }, async (session, end) => {
    number += 1;
    const sentAt = performance.now();
    const insert = session.run(`insert into ${table} values (${client}, ${number})`);
    const outcome = await outcomeOf(within(statementMs, insert, end));
    attempts.push({ client, number, sentAt, endedAt: performance.now(), outcome });
    return outcome === "acknowledged";
  });
}

async function outcomeOf(statement: Promise<unknown>): Promise<Outcome> {
  try {
    await statement;
    return "acknowledged";
  } catch (error) {
    return error instanceof StatementRefused ? "refused" : "unknown";
  }
}
