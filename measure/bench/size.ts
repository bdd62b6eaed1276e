// How much is measured: `small` in minutes, `full` for the figures that are committed.
import { z } from "zod";

export const SizeName = z.enum(["small", "full"]);
export type SizeName = z.infer<typeof SizeName>;

/** Counts of samples and of Databases. */
export interface Size {
  readonly name: SizeName;
  /** Samples of what is cheap, one at a time. */
  readonly samples: number;
  /** The same where a sample takes the stock Automation API seconds. */
  readonly stockSamples: number;
  /** Samples with the CLI implementation alone. */
  readonly cliSamples: number;
  /** Rounds in which batches of each take turns, for throughput. */
  readonly rounds: number;
  /** Databases of a batch: ours and the floor's, and stock's. */
  readonly batch: number;
  readonly stockBatch: number;
  /** Databases applied at once: the smaller and the larger burst. The larger one is what resync and restart are about. */
  readonly burst: number;
  readonly crowd: number;
  /** Calls of the whole command `make preview`. */
  readonly previewCommands: number;
  readonly idleSeconds: number;
}

export const sizes: Readonly<Record<SizeName, Size>> = {
  small: {
    name: "small",
    samples: 12,
    stockSamples: 5,
    cliSamples: 5,
    rounds: 1,
    batch: 20,
    stockBatch: 4,
    burst: 20,
    crowd: 20,
    previewCommands: 3,
    idleSeconds: 8,
  },
  full: {
    name: "full",
    samples: 50,
    stockSamples: 25,
    cliSamples: 20,
    rounds: 3,
    batch: 30,
    stockBatch: 8,
    burst: 100,
    crowd: 1000,
    previewCommands: 10,
    idleSeconds: 30,
  },
};
