// Clients that write numbered rows into a table of their own, and what of it must be there afterwards.
import { z } from "zod";
import { accountOf, type Account, type Attempt, type Row } from "../../availability/load/account";
import { startLoad, type Load } from "../../availability/load/load";
import { serviceOf, tableStatement } from "../../availability/subject";
import { asking, source, type Scene } from "./scene";

export interface Writers extends Pick<Load, "attempts"> {
  readonly table: string;
  /** Ends the clients and returns all that they did. */
  stop(): Promise<readonly Attempt[]>;
}

let tables = 0;

/** Acknowledgements of each client before anything else happens. */
const steadyCount = 50;

/** Creates the table and starts them; returns when all write. `pauseMs`: between an acknowledgement and the next row. */
export async function startWriters(scene: Scene, { pauseMs }: { readonly pauseMs: number }): Promise<Writers> {
  tables += 1;
  const table = `writes_${tables}`;
  await asking(scene, source, (session) => session.run(tableStatement(table)));
  const { kubectl, namespace, engine } = scene;
  const load = startLoad({ engine, target: await serviceOf({ kubectl, namespace, name: source }), table, pauseMs });
  await load.untilWriting(performance.now(), steadyCount, 60_000);
  return { table, attempts: load.attempts, stop: () => load.stop() };
}

const Rows = z.array(z.tuple([z.number(), z.number()]));

/** The rows of a table, as a Database has them. */
export const rowsOf = async (scene: Scene, name: string, table: string): Promise<readonly Row[]> =>
  Rows.parse(await asking(scene, name, (session) => session.run(`select client, number from ${table}`)));

/** Compares. Throws where a row is there that cannot be. */
export async function accountIn(
  scene: Scene,
  name: string,
  { table, due }: { readonly table: string; readonly due: readonly Attempt[] },
): Promise<Account> {
  const account = accountOf(due, [await rowsOf(scene, name, table)]);
  if (account.impossible > 0)
    throw new Error(`${account.impossible} rows of ${table} are there that were never sent, or were refused`);
  return account;
}
