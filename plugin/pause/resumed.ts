// A Database as it is once its pause ends. Pure.
import { z } from "zod";

const Paused = z.looseObject({ spec: z.looseObject({}) });

/** Throws for what has no spec. */
export function resumed(object: unknown): unknown {
  const { spec, ...rest } = Paused.parse(object);
  return { ...rest, spec: { ...spec, paused: false } };
}
