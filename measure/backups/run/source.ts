// The Database whose backups are taken: made, filled, and asked what is in it.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Session } from "../../availability/engines/engine";
import { readDatabase, untilBackedUp, untilReady } from "../../../test/harness/database";
import { eventually, minutes } from "../../../test/harness/eventually";
import { batchesOf, fillings, rowsFor } from "./filling";
import { lagsOf, type ArchiveLook } from "./rates";
import { asking, backupSpecOf, databaseOf, source, type Scene } from "./scene";

/** Creates it, with its first backup. */
export async function makeSource(scene: Scene): Promise<void> {
  const { kubectl, namespace } = scene;
  await kubectl.apply(databaseOf(scene, source, { backup: backupSpecOf(scene) }));
  await untilReady(kubectl, [namespace, source], minutes(6));
  await untilBackedUp(kubectl, [namespace, source], minutes(6));
}

/** How the rows were written. */
export interface Filled {
  readonly rows: number;
  /** Of the rows, per second. */
  readonly megabytesPerSecond: number;
  /** Until what was written had arrived in object storage, in milliseconds; none where it goes to a volume. */
  readonly lags: readonly number[];
}

/** Writes the rows, one statement after the other. */
export async function fill(scene: Scene): Promise<Filled> {
  const filling = fillings[scene.scenario.engine];
  const rows = rowsFor(scene.gib);
  const looks = scene.storage === undefined ? undefined : watchArchive(scene);
  const began = performance.now();
  await asking(scene, source, async (session) => {
    for (const statement of filling.prepare) await session.run(statement);
    for (const [first, last] of batchesOf(rows)) await session.run(filling.insert(first, last));
  });
  const seconds = (performance.now() - began) / 1000;
  const lags = lagsOf((await looks?.stop()) ?? []);
  await asking(scene, source, async (session) => {
    for (const statement of filling.settle) await session.run(statement);
  });
  await assertWithoutGap(scene);
  return { rows, megabytesPerSecond: (rows * 1024) / 1e6 / seconds, lags };
}

/** Of WAL that is given up the server says that it has arrived. */
async function assertWithoutGap({ kubectl, namespace }: Scene): Promise<void> {
  const { status } = await readDatabase(kubectl, source, namespace);
  const gap = status.conditions.find(({ reason }) => reason === "ArchiveGap");
  if (gap !== undefined) throw new Error(`rows were written faster than they arrive: ${gap.message}`);
}

/** What the rows are, as the server sees them. Throws where it says less. */
export async function digestOf(scene: Scene, name: string): Promise<{ readonly count: number; readonly text: string }> {
  const [row = []] = await asking(scene, name, (session) => session.run(fillings[scene.scenario.engine].digest));
  return { count: z.coerce.number().parse(row[0]), text: row.map(String).join(" ") };
}

const lookEveryMs = 250;
const archiveStatement =
  "select pg_walfile_name(pg_current_wal_lsn()), coalesce(last_archived_wal, '') from pg_stat_archiver";
const Look = z.tuple([z.string(), z.string()]);

/** Histories of timelines and notes of backups are no segments. */
const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name);

async function lookAt(session: Session): Promise<Omit<ArchiveLook, "at">> {
  const [row] = await session.run(archiveStatement);
  const [writing, arrived] = Look.parse(row);
  return { writing, arrived: isSegment(arrived) ? arrived : "" };
}

/** Looks at the archive until it is stopped and all that was written until then has arrived. */
function watchArchive(scene: Scene): { stop(): Promise<readonly ArchiveLook[]> } {
  const looks: ArchiveLook[] = [];
  const stopped = new AbortController();
  const watching = asking(scene, source, async (session) => {
    while (!stopped.signal.aborted) {
      const look = await lookAt(session);
      looks.push({ at: performance.now(), ...look });
      await delay(lookEveryMs);
    }
  });
  return {
    async stop() {
      await untilArrived(scene);
      stopped.abort();
      await watching;
      return looks;
    },
  };
}

/** Waits until all that is committed now is in object storage. A row more is written: a segment without any is not sent. */
export async function untilArrived(scene: Scene): Promise<void> {
  if (scene.storage === undefined) return;
  await asking(scene, source, async (session) => {
    await session.run("create table if not exists marks (at timestamptz)");
    await session.run("insert into marks values (clock_timestamp())");
    const { writing } = await lookAt(session);
    await eventually(
      async () => {
        const { arrived } = await lookAt(session);
        if (arrived < writing) throw new Error(`${writing} has not arrived, only ${arrived}`);
      },
      { ...minutes(5), everyMs: lookEveryMs },
    );
  });
}
