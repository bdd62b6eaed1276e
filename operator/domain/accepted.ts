// What was accepted of a Database, with everything that it referred to: kept up while something else is asked for that cannot be had.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { DatabaseSpec } from "../api/spec";
import type { Desired } from "./desired";

/** See the header. */
export const Accepted = z.object({ spec: DatabaseSpec, image: z.string(), config: z.record(z.string(), z.string()) });
export type Accepted = Pick<Desired, keyof z.infer<typeof Accepted>>;

export const acceptedFrom = ({ spec, image, config }: Accepted): Accepted => ({ spec, image, config });

/** Whether the same is asked for, but for what counts as soon as it is written, and whichever release of the operator applies it. */
export const isSame = (one: Accepted, other: Accepted): boolean =>
  isDeepStrictEqual(comparable(one), comparable(other));

/** What counts as soon as it is written, and waits for nothing; a policy is judged by itself. */
const apart = {
  deletionPolicy: undefined,
  paused: undefined,
  storageAutoGrow: undefined,
  upgrade: undefined,
  changePolicy: undefined,
};

/** As it would be on record: what is undefined here is missing there. */
const comparable = ({ spec, image, config }: Accepted): unknown =>
  JSON.parse(JSON.stringify({ spec: { ...spec, ...apart }, image, config }));
