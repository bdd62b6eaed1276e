// That the data volume fills up: how full it is, and what fills it, is noted on the member's pod.
import { textOf } from "../../log";
import { VolumeWatch, type VolumeWatchArgs } from "../../volume/watch";
import type { Log } from "../log";
import type { Watch } from "./ports";

/** See the header. */
export class VolumeRoom implements Watch {
  readonly pauseMs: number;
  readonly #watch: VolumeWatch;
  #said = "";

  constructor(
    args: VolumeWatchArgs,
    private readonly log: Log,
  ) {
    this.#watch = new VolumeWatch(args);
    this.pauseMs = this.#watch.pauseMs;
  }

  look(): Promise<void> {
    return this.#watch.look();
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.log(`the state of the volume cannot be noted: ${why}`);
    this.#said = why;
  }
}
