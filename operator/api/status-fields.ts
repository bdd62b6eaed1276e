// What fields of a status have in common.
import { z } from "zod";

/** Marks an enum that is closed in TypeScript but an open string in the CRD: an operator newer than the CRD must be able to write its status. */
export const OPEN_ENUM = "x-open-enum";

export const dateTime = (description: string): z.ZodString => z.string().meta({ format: "date-time", description });
