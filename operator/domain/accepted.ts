// What was accepted of a Database, with everything that it referred to.
import { z } from "zod";
import { DatabaseSpec } from "../api/spec";
import type { Desired } from "./desired";

/** Kept up while something else is asked for that cannot be had. */
export const Accepted = z.object({ spec: DatabaseSpec, image: z.string(), config: z.record(z.string(), z.string()) });
export type Accepted = Pick<Desired, keyof z.infer<typeof Accepted>>;
