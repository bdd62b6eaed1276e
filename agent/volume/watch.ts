// How full the member's data volume is: looked at again and again, and noted on the member's pod. Nothing is written to the volume itself.
import { setTimeout as delay } from "node:timers/promises";
import {
  fillingLevel,
  volumeAnnotation,
  type VolumeCause,
  type VolumeLevel,
  type VolumeNote,
} from "../../contract/volume-note";
import type { KubernetesClient } from "../kubernetes/client";
import { podPath } from "../kubernetes/paths";
import { log, textOf } from "../log";
import { isNews, levelOf, noteOf } from "./decide";
import type { Room } from "./room";

const lookMs = 5_000;

/** What it needs. */
export interface VolumeWatchArgs {
  readonly room: () => Promise<Room>;
  /** What fills the volume beside data; asked only where it fills up. */
  readonly cause: (room: Room) => Promise<VolumeCause | undefined>;
  readonly write: (note: VolumeNote) => Promise<void>;
  /** Default: the present time. */
  readonly now?: () => Date;
}

/** See the header. */
export class VolumeWatch {
  readonly pauseMs = lookMs;
  #level: VolumeLevel = 0;
  #written: VolumeNote | undefined;

  constructor(private readonly args: VolumeWatchArgs) {}

  /** Looks, and writes a note where there is news. Throws where either fails; the next look tries again. */
  async look(): Promise<void> {
    const { room, cause, write, now = () => new Date() } = this.args;
    const present = await room();
    this.#level = levelOf(present, this.#level);
    const found = this.#level >= fillingLevel ? await cause(present) : undefined;
    const note = noteOf(present, this.#level, found, now());
    if (!isNews(this.#written, note)) return;
    await write(note);
    this.#written = note;
  }
}

/** Looks until `stop`; a failure is logged once. */
export async function watchVolume(args: VolumeWatchArgs, stop: AbortSignal): Promise<void> {
  const watch = new VolumeWatch(args);
  let said = "";
  while (!stop.aborted) {
    await watch.look().catch((error: unknown) => {
      const why = textOf(error);
      if (why !== said) log("the state of the volume cannot be noted", { why });
      said = why;
    });
    await delay(watch.pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Writes notes on the member's own pod, and on no successor of its name. */
export const volumeNotes =
  (client: Pick<KubernetesClient, "patch" | "podUid">, namespace: string, self: string) =>
  async (note: VolumeNote): Promise<void> => {
    const uid = await client.podUid();
    const annotations = { [volumeAnnotation]: JSON.stringify(note) };
    await client.patch(podPath(namespace, self), { metadata: { annotations, ...(uid !== undefined && { uid }) } });
  };
