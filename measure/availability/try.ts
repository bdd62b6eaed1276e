// One try: clients write, a fault strikes, and once the Database is complete again everything is counted.
import { z } from "zod";
import { eventually } from "../../test/harness/eventually";
import type { Member } from "./cluster/members";
import type { Scene, Fault } from "./faults/fault";
import { accountOf, outageOf, type Account, type Outage, type Row } from "./load/account";
import { startWorkload, type Consistency } from "./consistency/workload";
import { startLoad, type Load } from "./load/load";
import { newConnectionsIn, startNewConnections, type NewConnections } from "./load/new-connections";
import { startPace } from "./load/pace";
import { startWatch } from "./load/watch";
import { twoWritersIn, type TwoWriters } from "./load/writers";
import { tableStatement, tables, type Subject } from "./subject";

export interface Try {
  readonly outage: Outage;
  readonly account: Account;
  /** Moments at which two members accepted writes. */
  readonly twoWriters: readonly TwoWriters[];
  /** What clients saw whose transactions append to lists and read them. */
  readonly consistency: Consistency;
  /** What connections found that were opened from the fault on. */
  readonly newConnections: NewConnections;
  /** From the fault until all members were complete again, in milliseconds. */
  readonly wholeMs: number;
  /** How busy the machine was meanwhile: see load/pace.ts. */
  readonly pace: number;
  /** The primary before, and after. */
  readonly primaries: readonly [string, string];
}

/** Deadlines in milliseconds; none is a goal. */
const patience = { steady: 30_000, written: 120_000, whole: 240_000, caughtUp: 60_000, statement: 30_000 } as const;

/** Acknowledgements that each client must have had before a fault strikes, and after everything is complete again. */
const steadyCount = 50;

/** Executes one try on a complete Database and leaves it complete. Throws where a deadline passes. */
export async function attemptOnce(fault: Fault, scene: Omit<Scene, "primary">): Promise<Try> {
  const { subject } = scene;
  await fault.prepare?.(scene);
  await subject.untilWhole(patience.whole);
  const table = `writes_${scene.step}`;
  await subject.ask(subject.primary(), tableStatement(table), patience.statement);
  const { engine, service: target } = subject;
  const lists = await startWorkload(subject, `lists_${scene.step}`);
  const watch = startWatch({ engine, target, members: subject.members, table: tables.looks });
  const load = startLoad({ engine, target, table });
  const reading = { table, client: 0, acknowledged: () => load.lastOf(0) };
  const connections = startNewConnections({ engine, target, ...reading });
  const pace = startPace();
  try {
    await load.untilWriting(performance.now(), steadyCount, patience.steady);
    const primary = subject.primary();
    const from = performance.now();
    await strikeAndHeal(fault, { ...scene, primary }, load);
    await subject.untilWhole(patience.whole);
    const whole = performance.now();
    await load.untilWriting(whole, steadyCount, patience.steady);
    const to = performance.now();
    const attempts = await load.stop();
    const samples = await watch.stop();
    const openings = await connections.stop();
    const consistency = await lists.judge();
    const members = await rowsOfAll(subject, table);
    await subject.ask(subject.primary(), `drop table ${table}`, patience.statement);
    return {
      outage: outageOf(attempts, { from, to }),
      account: accountOf(attempts, members),
      twoWriters: twoWritersIn(samples),
      consistency,
      newConnections: newConnectionsIn(openings, from),
      wholeMs: whole - from,
      pace: await pace.stop(),
      primaries: [primary.name, subject.primary().name],
    };
  } finally {
    await Promise.all([load.stop(), watch.stop(), connections.stop(), lists.stop(), pace.stop()]);
  }
}

async function strikeAndHeal(fault: Fault, scene: Scene, load: Load): Promise<void> {
  const heal = await fault.strike(scene);
  if (heal === undefined || fault.hold === undefined) return;
  const struck = performance.now();
  try {
    if (fault.hold.kind === "until written") await load.untilWritten(struck, patience.written);
    await standing(fault.hold.kind === "for" ? fault.hold.ms : fault.hold.thenMs);
  } finally {
    await heal();
  }
}

/** The fault lasts for a time: what happens meanwhile is what is measured. */
const standing = (forMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, forMs));

const Rows = z.array(z.tuple([z.number(), z.number()]));

/** The rows of every member, each asked until it has as many as the primary has. */
async function rowsOfAll(subject: Subject, table: string): Promise<readonly (readonly Row[])[]> {
  const rowsOf = async (member: Member): Promise<readonly Row[]> =>
    Rows.parse(await subject.ask(member, `select client, number from ${table}`, patience.statement));
  const primary = await rowsOf(subject.primary());
  const replicas = subject.members().filter(({ name }) => name !== subject.primary().name);
  const others: (readonly Row[])[] = [];
  for (const replica of replicas) {
    let last: readonly Row[] = [];
    const caughtUp = async (): Promise<void> => {
      last = await rowsOf(replica);
      if (last.length !== primary.length)
        throw new Error(`${replica.name} has ${last.length} of ${primary.length} rows`);
    };
    // one that never catches up is counted as it is
    await eventually(caughtUp, { withinMs: patience.caughtUp }).catch(() => undefined);
    others.push(last);
  }
  return [primary, ...others];
}
