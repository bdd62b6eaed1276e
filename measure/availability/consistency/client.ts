// One client that appends to lists and reads them, in transactions one after the other, and notes what came of each.
import { StatementRefused, type Target, type TestedEngine } from "../engines/engine";
import { limits } from "../load/limits";
import { takeTurns } from "../load/turns";
import { within } from "../load/within";
import type { Ending, Operation, Transaction } from "./history";
import { readOf, readStatement, type Planner, type Step } from "./lists";

export interface TransactingOptions {
  readonly engine: TestedEngine;
  readonly target: Target;
  readonly table: string;
  /** Its number among the clients. */
  readonly client: number;
  readonly planner: Planner;
  /** Where it notes its transactions. */
  readonly transactions: Transaction[];
  readonly stopped: AbortSignal;
  /** For a statement to be answered, in milliseconds. Default: the limit that is documented. */
  readonly statementMs?: number;
}

/** Between two transactions of a client, in milliseconds: the clients that are measured must have the machine. */
const pauseMs = 40;

/** Runs until it is stopped. */
export async function transact(options: TransactingOptions): Promise<void> {
  const { planner, client, transactions, statementMs = limits.statement } = options;
  await takeTurns({ ...options, pauseMs }, async (session, end) => {
    const run: Run = (statement) => within(statementMs, session.run(statement), end);
    const startedAt = performance.now();
    const done = await carryOut(planner.next(), { ...options, run });
    transactions.push({ client, ...done, startedAt, endedAt: performance.now() });
    return done.ending === "committed";
  });
}

type Run = (statement: string) => Promise<readonly unknown[][]>;

interface Work extends Pick<TransactingOptions, "engine" | "table"> {
  readonly run: Run;
}

/** Before the commit is sent nothing can take effect, whatever the error is. */
async function carryOut(steps: readonly Step[], work: Work): Promise<Pick<Transaction, "operations" | "ending">> {
  const operations: Operation[] = [];
  try {
    for (const statement of work.engine.begin) await work.run(statement);
    for (const step of steps) await take(step, work, operations);
  } catch {
    return { operations, ending: "aborted" };
  }
  return { operations, ending: await endingOf(work) };
}

/** An append counts from when it is sent, a read once it is answered. */
async function take(step: Step, { engine, table, run }: Work, operations: Operation[]): Promise<void> {
  if (step.kind === "append") {
    operations.push(step);
    await run(engine.appendStatement(table, step.key, step.value));
  } else operations.push(readOf(step.key, await run(readStatement(table, step.key))));
}

async function endingOf({ engine, run }: Work): Promise<Ending> {
  try {
    await run("commit");
    return "committed";
  } catch (error) {
    return error instanceof StatementRefused ? engine.refusedCommit : "unknown";
  }
}
