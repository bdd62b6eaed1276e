// Without kills: what backups and restores cost beside the bare tools, and under load.
import { setTimeout as delay } from "node:timers/promises";
import { median } from "../../bench/instruments/percentile";
import { bareOf, secondsOf } from "../bare/bare";
import type { CostResult, StepResult } from "../report/results";
import { takeBackup, type Taken } from "./backup";
import { backupLine, restoreLine, rounded, type Unsigned } from "./lines";
import { acknowledgedPerSecond, dueBefore } from "./rates";
import { removeRestored, restoreAs } from "./restore";
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
  const quiet = await progress.step(`${name}: a backup without any load`, () => takeBackup(scene, "nothing"));
  const byHand = await progress.step(`${name}: the same by hand`, () => bare.backup());
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
  const again = await progress.step(`${name}: the same by hand`, () => bare.restore(taken.label));
  await onCost({
    ...{ scenario: name, version: scene.built.version, bytes: quiet.bytes, restored_bytes: taken.bytes },
    ...{ backup_s: rounded(quiet.programSeconds), bare_backup_s: rounded(secondsOf(byHand)) },
    ...{ bare_copy_s: rounded(byHand.get("copy") ?? 0) },
    ...{ restore_s: rounded(restored.programSeconds), bare_restore_s: rounded(secondsOf(again)) },
    ...{ tps_without: rounded(busy.without), tps_with: rounded(busy.during) },
    ...(filled.lags.length > 0 && { archive: archiveOf(filled) }),
  });
  return taken;
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
