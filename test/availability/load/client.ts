// One client of the load: it inserts numbered rows one after the other, and notes what became of each.
import { setTimeout as delay } from "node:timers/promises";
import { StatementRefused, type Session, type Target, type TestedEngine } from "../engines/engine";
import type { Attempt, Outcome } from "./account";
import { limits } from "./limits";
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
}

/** Writes until it is stopped. As an application should, it takes every error as a reason for a new connection. */
export async function write(options: ClientOptions): Promise<void> {
  const { engine, target, table, client, attempts, stopped, statementMs = limits.statement } = options;
  let session: Session | undefined;
  let number = 0;
  const end = (): void => {
    session?.destroy();
    session = undefined;
  };
  while (!stopped.aborted) {
    try {
      session ??= await engine.connect(target, limits.connect);
    } catch {
      await delay(limits.again);
      continue;
    }
    number += 1;
    const sentAt = performance.now();
    const insert = session.run(`insert into ${table} values (${client}, ${number})`);
    const outcome = await outcomeOf(within(statementMs, insert, end));
    attempts.push({ client, number, sentAt, endedAt: performance.now(), outcome });
    if (outcome !== "acknowledged") end();
    await delay(outcome === "acknowledged" ? limits.pause : limits.again);
  }
  end();
}

async function outcomeOf(statement: Promise<unknown>): Promise<Outcome> {
  try {
    await statement;
    return "acknowledged";
  } catch (error) {
    return error instanceof StatementRefused ? "refused" : "unknown";
  }
}
