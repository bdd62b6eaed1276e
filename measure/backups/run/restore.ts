// A new Database that begins with what was backed up, and how long it takes.
import { restoreJobName } from "../../../components/naming";
import { untilReady } from "../../../test/harness/database";
import type { Kill } from "../scenarios";
import { JobWatch } from "./job";
import { databaseOf, patienceFor, type Scene } from "./scene";
import { strike } from "./strike";

export interface Restored {
  readonly name: string;
  readonly programSeconds: number;
  readonly readySeconds: number;
}

let restored = 0;

/** `restore`: of the spec. It stays until `removeRestored`. */
export async function restoreAs(scene: Scene, restore: object, kill: Kill): Promise<Restored> {
  const { kubectl, namespace } = scene;
  restored += 1;
  const name = `restored-${restored}`;
  const watch = new JobWatch(kubectl, namespace, restoreJobName(name));
  try {
    const began = performance.now();
    await kubectl.apply(databaseOf(scene, name, { restore }));
    await strike(scene, { kill, watch, at: "restore" });
    await untilReady(kubectl, [namespace, name], patienceFor(scene.gib));
    const readySeconds = (performance.now() - began) / 1000;
    const { from, to } = await watch.stop();
    return { name, programSeconds: (to - from) / 1000, readySeconds };
  } catch (error) {
    await watch.stop().catch(() => undefined);
    throw error;
  }
}

export async function removeRestored({ kubectl, namespace }: Scene, { name }: Restored): Promise<void> {
  await kubectl("delete", "database", name, "-n", namespace, "--timeout=300s");
}
