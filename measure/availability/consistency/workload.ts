// The lists of a try: clients that append and read beside those that write rows, and the judgement of what they saw.
import { eventually } from "../../../test/harness/eventually";
import { clients } from "../load/limits";
import type { Subject } from "../subject";
import type { Anomaly } from "./anomalies";
import { anomaliesIn } from "./check";
import { transact } from "./client";
import type { FinalRead, Transaction } from "./history";
import { listsIn, listsStatement, Planner, readAllStatement } from "./lists";

/** What a try showed. */
export interface Consistency {
  /** Transactions that were acknowledged. */
  readonly transactions: number;
  readonly anomalies: readonly Anomaly[];
}

export interface Workload {
  /** Ends the clients. */
  stop(): Promise<void>;
  /** Ends the clients, reads every member's lists, drops them, and judges. */
  judge(): Promise<Consistency>;
}

/** In milliseconds. */
const patience = { caughtUp: 60_000, statement: 30_000 } as const;

/** Creates the table and starts the clients, through the read-write Service. */
export async function startWorkload(subject: Subject, table: string): Promise<Workload> {
  const { engine, service: target } = subject;
  await subject.ask(subject.primary(), listsStatement(table), patience.statement);
  const transactions: Transaction[] = [];
  const abort = new AbortController();
  const shared = { engine, target, table, planner: new Planner(), transactions, stopped: abort.signal };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => transact({ ...shared, client })));
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return {
    stop,
    async judge() {
      await stop();
      const finals = await finalReads(subject, table);
      await subject.ask(subject.primary(), `drop table ${table}`, patience.statement);
      const acknowledged = transactions.filter(({ ending }) => ending === "committed").length;
      return { transactions: acknowledged, anomalies: anomaliesIn({ transactions, finals }) };
    },
  };
}

/** The primary's, and those of each replica once they are the same; one that never catches up is judged as it is. */
async function finalReads(subject: Subject, table: string): Promise<readonly FinalRead[]> {
  const listsOf = async (member: ReturnType<Subject["primary"]>): Promise<FinalRead> => {
    const rows = await subject.ask(member, readAllStatement(table), patience.statement);
    return { member: member.name, lists: listsIn(rows) };
  };
  const textOf = ({ lists }: FinalRead): string => JSON.stringify([...lists].sort(([left], [right]) => left - right));
  const primary = await listsOf(subject.primary());
  const finals = [primary];
  for (const replica of subject.members().filter(({ name }) => name !== primary.member)) {
    let last: FinalRead = { member: replica.name, lists: new Map() };
    const caughtUp = async (): Promise<void> => {
      last = await listsOf(replica);
      if (textOf(last) !== textOf(primary)) throw new Error(`${replica.name} has other lists than the primary`);
    };
    await eventually(caughtUp, { withinMs: patience.caughtUp }).catch(() => undefined);
    finals.push(last);
  }
  return finals;
}
