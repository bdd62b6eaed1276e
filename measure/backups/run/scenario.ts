// One scenario from its Database to its end.
import type { Kill, ScenarioName } from "../scenarios";
import { takeBackup } from "./backup";
import { backupLine, restoreLine } from "./lines";
import { toMoment } from "./moment";
import { dueOf, plainly, type Told } from "./plain";
import { removeRestored, restoreAs } from "./restore";
import { newestOf, openScene, type Scene, type SceneArgs } from "./scene";
import { fill, makeSource, untilArrived } from "./source";
import { startWriters } from "./writers";

export interface ScenarioArgs extends SceneArgs, Told {
  readonly kills: readonly Kill[];
}

export async function runScenario(name: ScenarioName, args: ScenarioArgs): Promise<void> {
  const scene = await openScene(name, args);
  const { progress, scenario } = scene;
  try {
    await progress.step(`${name}: a Database with its first backup`, () => makeSource(scene));
    const filled = await progress.step(`${name}: ${args.gib} GiB of rows`, () => fill(scene));
    for (const kill of args.kills) {
      if (kill !== "nothing") {
        await progress.step(`${name}: SIGKILL of ${kill}`, () => killed(scene, kill, args));
        continue;
      }
      const { bytes } = await plainly(scene, filled, args);
      if (scenario.steps.includes("moment"))
        await args.onStep(await progress.step(`${name}: a moment between two commits`, () => toMoment(scene, bytes)));
    }
  } finally {
    await scene.close();
  }
}

/** A backup and a restore, each of which is struck once. Clients write as applications do. */
async function killed(scene: Scene, kill: Kill, { onStep }: Told): Promise<void> {
  const writers = await startWriters(scene, { pauseMs: 10 });
  const taken = await takeBackup(scene, kill).finally(() => writers.stop());
  await onStep(backupLine(scene, taken, kill));
  await untilArrived(scene);
  const restored = await restoreAs(scene, newestOf(scene, taken.name), kill);
  const due = dueOf(scene, taken, writers.attempts);
  const { bytes } = taken;
  const line = { step: "restore", killed: kill, restored, bytes, table: writers.table, due } as const;
  await onStep(await restoreLine(scene, line));
  await removeRestored(scene, restored);
}
