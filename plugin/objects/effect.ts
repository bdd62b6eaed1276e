// An effect of a change, as an operator names it that may be newer.
import { z } from "zod";
import { effects, type Effect } from "../../contract/effects";

/** One that is not known is one that cannot be told. */
export const AnEffect = z
  .string()
  .transform((text): Effect => effects.find((effect) => effect === text) ?? "CannotBeTold");
