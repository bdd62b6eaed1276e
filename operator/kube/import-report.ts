// What the program of an import Job says at its end, as its pod shows it.
import { z } from "zod";
import { consistencies } from "../../contract/backup-report";
import type { ImportReport } from "../../contract/import";
import { parseJson } from "../objects/json";

const count = z.int().nonnegative();

const Report = z.object({
  imported: z.object({
    version: z.string().regex(/^[-.+~:\w]{1,64}$/),
    tables: count,
    rows: count,
    consistency: z.enum(consistencies),
  }),
}) satisfies z.ZodType<ImportReport>;

/** What was imported, by a termination message; undefined where that is something else. */
export const importedIn = (message: string): ImportReport["imported"] | undefined =>
  Report.safeParse(parseJson(message)).data?.imported;
