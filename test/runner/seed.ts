// The number by which a run chooses its slices: that of the commit, so that the same commit always takes the same ones.
import { readHead, type Head } from "./history";

/** Which slice, and where the number comes from, for people. */
export interface Seed {
  readonly seed: number;
  readonly from: string;
}

/**
 * The next commit has the next number. A shallow clone does not know it: there the number comes from the commit's hash, and without
 * a clone it is 0.
 */
export function seedOf(head: Head | undefined): Seed {
  if (head === undefined) return { seed: 0, from: "no git clone" };
  const short = head.commit.slice(0, 9);
  if (head.number !== undefined) return { seed: head.number, from: `commit ${head.number}, ${short}` };
  return { seed: Number.parseInt(head.commit.slice(0, 7), 16), from: `shallow clone of ${short}` };
}

/** The seed of the sources that run here. */
export const sourceSeed = (): Seed => seedOf(readHead());
