// What the program of a backup Job says at its end, as its pod shows it.
import { z } from "zod";
import { consistencies, type BackupReport } from "../../contract/backup-report";
import { parseJson } from "../objects/json";

const label = z.string().regex(/^[-.\w]{1,128}$/);
const word = z.string().regex(/^[-.:\w]{1,128}$/);

/** What cannot be read counts as unknown, but for the label, without which there is no report. */
const Report = z.object({
  backup: label,
  startedAt: z.iso.datetime().optional().catch(undefined),
  bytes: z.int().nonnegative().optional().catch(undefined),
  member: word.optional().catch(undefined),
  cluster: word.optional().catch(undefined),
  version: word.optional().catch(undefined),
  storedBytes: z.int().nonnegative().optional().catch(undefined),
  location: z
    .string()
    .regex(/^s3:\/\/[-./\w]{1,1000}$/)
    .optional()
    .catch(undefined),
  base: label.optional().catch(undefined),
  recoverableFrom: z.iso.datetime().optional().catch(undefined),
  damaged: z.array(label).max(100).optional().catch(undefined),
  consistency: z.enum(consistencies).optional().catch(undefined),
  oldest: label.optional().catch(undefined),
  present: z
    .array(z.object({ label, bytes: z.int().nonnegative().optional(), completedAt: z.iso.datetime().optional() }))
    .max(100)
    .optional()
    .catch(undefined),
}) satisfies z.ZodType<BackupReport>;

/** The report in a termination message; undefined where that is something else. */
export const reportIn = (message: string): BackupReport | undefined => Report.safeParse(parseJson(message)).data;
