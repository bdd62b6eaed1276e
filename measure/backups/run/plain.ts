// Without kills: what backups and restores cost beside the bare tools, and under load.
import { setTimeout as delay } from "node:timers/promises";
import { median } from "../../bench/instruments/percentile";
import { run } from "../../../tools/host/command";
import { bareOf, secondsOf } from "../bare/bare";
import type { CostResult, StepResult } from "../report/results";
import { takeBackup, type Taken } from "./backup";
import { backupLine, restoreLine, rounded, type Unsigned } from "./lines";
import { acknowledgedPerSecond, dueBefore } from "./rates";
import { removeRestored, restoreAs, type Restored } from "./restore";
import { everySeconds, newestOf, type Scene } from "./scene";
import { untilArrived, type Filled } from "./source";
import { startWriters } from "./writers";

/** Milliseconds in which clients write alone, and those before that do not count. */
const alone = { settling: 3_000, counted: 20_000 } as const;

export interface Told {
  readonly onStep: (step: Unsigned<StepResult>) => Promise<void>;
  readonly onCost: (cost: Unsigned<CostResult>) => Promise<void>;
}

/** Returns the last backup. */
export async function plainly(scene: Scene, filled: Filled, { onStep, onCost }: Told): Promise<Taken> {
  const { name, progress } = scene;
  const bare = bareOf(scene);
  const quiet = await inTurn({
    ours: () => progress.step(`${name}: a backup without any load`, () => takeBackup(scene, "nothing")),
    bare: () => progress.step(`${name}: the same by hand`, () => bare.backup()),
  });
  const busy = await progress.step(`${name}: a backup under load`, () => underLoad(scene));
  await onStep(backupLine(scene, busy.taken, "nothing"));
  await untilArrived(scene);
  const restored = await progress.step(`${name}: a restore`, () =>
    restoreAs(scene, newestOf(scene, busy.taken.name), "nothing"),
  );
  const { taken, table, due } = busy;
  await onStep(
    await restoreLine(scene, { step: "restore", killed: "nothing", restored, bytes: taken.bytes, table, due }),
  );
  await removeRestored(scene, restored);
  const again = await inTurn({
    ours: () => progress.step(`${name}: a restore, once more`, () => restoredOnce(scene, taken.name)),
    bare: () => progress.step(`${name}: the same by hand`, () => bare.restore(taken.label)),
  });
  await onCost({
    ...{ scenario: name, version: scene.built.version },
    ...{ bytes: quiet.ours[0].bytes, restored_bytes: taken.bytes },
    ...{ backup_s: programSeconds(quiet.ours), bare_backup_s: meanOf(quiet.bare.map(secondsOf)) },
    ...{ bare_copy_s: meanOf(quiet.bare.map((steps) => steps.get("copy") ?? 0)) },
    ...{ restore_s: programSeconds(again.ours), bare_restore_s: meanOf(again.bare.map(secondsOf)) },
    ...{ tps_without: rounded(busy.without), tps_with: rounded(busy.during) },
    ...(filled.lags.length > 0 && { archive: archiveOf(filled) }),
  });
  return taken;
}

interface Turns<Ours, Bare> {
  readonly ours: readonly [Ours, Ours];
  readonly bare: readonly [Bare, Bare];
}

/** Each twice, one after the other, on a disk to which nothing is left to write: neither has the better minute. */
async function inTurn<Ours, Bare>(work: {
  readonly ours: () => Promise<Ours>;
  readonly bare: () => Promise<Bare>;
}): Promise<Turns<Ours, Bare>> {
  const settled = async <T>(one: () => Promise<T>): Promise<T> => {
    await run("sync", []);
    return one();
  };
  const first = [await settled(work.ours), await settled(work.bare)] as const;
  const second = [await settled(work.ours), await settled(work.bare)] as const;
  return { ours: [first[0], second[0]], bare: [first[1], second[1]] };
}

const meanOf = (seconds: readonly number[]): number =>
  rounded(seconds.reduce((sum, one) => sum + one, 0) / seconds.length);

const programSeconds = (runs: readonly { readonly programSeconds: number }[]): number =>
  meanOf(runs.map((one) => one.programSeconds));

async function restoredOnce(scene: Scene, backup: string): Promise<Restored> {
  const restored = await restoreAs(scene, newestOf(scene, backup), "nothing");
  await removeRestored(scene, restored);
  return restored;
}

interface UnderLoad {
  readonly taken: Taken;
  readonly table: string;
  readonly due: Parameters<typeof dueBefore>[0];
  /** Acknowledgements per second. */
  readonly without: number;
  readonly during: number;
}

async function underLoad(scene: Scene): Promise<UnderLoad> {
  const writers = await startWriters(scene, { pauseMs: 0 });
  try {
    await delay(alone.settling);
    const from = performance.now();
    await delay(alone.counted);
    const to = performance.now();
    const taken = await takeBackup(scene, "nothing");
    const attempts = await writers.stop();
    return {
      ...{ taken, table: writers.table },
      due: dueOf(scene, taken, attempts),
      without: acknowledgedPerSecond(attempts, { from, to }),
      during: acknowledgedPerSecond(attempts, taken.span),
    };
  } finally {
    await writers.stop();
  }
}

/** In object storage is all that has arrived, on a volume what the backup has. */
export const dueOf = (
  { storage }: Scene,
  { askedAt }: Taken,
  attempts: Parameters<typeof dueBefore>[0],
): ReturnType<typeof dueBefore> => (storage === undefined ? dueBefore(attempts, askedAt) : attempts);

const archiveOf = ({ lags, megabytesPerSecond }: Filled): CostResult["archive"] => ({
  every_s: everySeconds,
  median_s: rounded(median(lags) / 1000),
  max_s: rounded(Math.max(...lags) / 1000),
  written_mb_s: rounded(megabytesPerSecond),
});
