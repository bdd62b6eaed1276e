// The statistics of a cluster that was converted, without which its first queries would be slow ones.
import { output } from "../../restore/output";
import { takeOverSettings } from "../restore/take-over";
import { socketDirectory } from "../server/connection";
import { sessionOptions } from "../server/sessions";
import type { Open } from "./collations";
import type { Conversion } from "./conversion";
import { programOf } from "./reading";

/** From this version on pg_upgrade keeps most of them. */
const keepsStatistics = 18;

/** `parents`: tables of each database whose statistics are those of all their partitions. vacuumdb leaves these out, and so does autovacuum. */
export async function analyze(
  { to, superuser }: Pick<Conversion, "to" | "superuser">,
  parents: ReadonlyMap<string, readonly string[]>,
  open: Open,
): Promise<void> {
  const keeps = Number(to) >= keepsStatistics;
  const what = ["--all", "--analyze-only", "--jobs=2", ...(keeps ? ["--missing-stats-only"] : [])];
  // whatever users set for the superuser's sessions
  const environment = { PGOPTIONS: sessionOptions(takeOverSettings) };
  const whom = [`--host=${socketDirectory}`, `--username=${superuser}`];
  await output(programOf(to, "vacuumdb"), [...what, ...whom], { environment });
  if (keeps) return;
  for (const [database, tables] of parents) {
    if (tables.length === 0) continue;
    const session = await open(database);
    try {
      for (const table of tables) await session.run(`ANALYZE ${table}`);
    } finally {
      session.close();
    }
  }
}
