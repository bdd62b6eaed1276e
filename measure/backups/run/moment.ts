// A restore to a moment: clients write, then nothing is written for two seconds, and then other clients write.
import { setTimeout as delay } from "node:timers/promises";
import type { StepResult } from "../report/results";
import { restoreLine, type Unsigned } from "./lines";
import { removeRestored, restoreAs } from "./restore";
import { asking, source, type Scene } from "./scene";
import { untilArrived } from "./source";
import { startWriters } from "./writers";

const clockStatement = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Milliseconds on either side of it. */
const apart = 1_000;

/** All rows from before must be there. Throws where anything from after is. `bytes`: of the backup that it begins with. */
export async function toMoment(scene: Scene, bytes: number): Promise<Unsigned<StepResult>> {
  const before = await startWriters(scene, { pauseMs: 10 });
  const due = await before.stop();
  await delay(apart);
  const [[moment] = []] = await asking(scene, source, (session) => session.run(clockStatement));
  await delay(apart);
  const after = await startWriters(scene, { pauseMs: 10 });
  await after.stop();
  await untilArrived(scene);
  const restore = { from: { name: source }, pointInTime: String(moment) };
  const restored = await restoreAs(scene, restore, "nothing");
  const later = await asking(scene, restored.name, (session) =>
    session.run(`select 1 from information_schema.tables where table_name = '${after.table}'`),
  );
  if (later.length > 0) throw new Error(`the table ${after.table} is there, which was created after ${String(moment)}`);
  const line = await restoreLine(scene, {
    ...{ step: "moment", killed: "nothing", restored, bytes, table: before.table, due },
  });
  await removeRestored(scene, restored);
  return line;
}
