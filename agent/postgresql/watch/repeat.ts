// Looks again and again.
import { setTimeout as delay } from "node:timers/promises";
import type { Watch } from "./ports";

/** Until the process ends. Whatever goes wrong, it is tried again. */
export async function repeat(watch: Watch, pause: (ms: number) => Promise<unknown> = delay): Promise<never> {
  for (;;) {
    await pause(watch.pauseMs);
    try {
      await watch.look();
    } catch (error) {
      watch.failed(error);
    }
  }
}
