// What the program of a restore drill says at its end, as its pod shows it.
import { z } from "zod";
import { answers, findings, queryLimits, verdicts, type VerificationReport } from "../../contract/verification-report";
import { parseJson } from "../objects/json";

const seconds = z.int().nonnegative();

const Report = z.object({
  verdict: z.enum(verdicts),
  finding: z.enum(findings).optional(),
  verified: z
    .string()
    .regex(/^[-.\w]{1,128}$/)
    .optional(),
  startedAt: z.iso.datetime(),
  message: z
    .string()
    .max(1000)
    .transform((text) => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()),
  recoverySeconds: seconds.optional(),
  seconds,
  queries: z
    .array(z.object({ name: z.string().max(queryLimits.name), answer: z.enum(answers) }))
    .max(queryLimits.most)
    .optional(),
});

/** The report in a termination message; undefined where that is something else. */
export function verificationIn(message: string): VerificationReport | undefined {
  const { data } = Report.safeParse(parseJson(message));
  if (data === undefined) return undefined;
  const { finding, verified, recoverySeconds, queries, ...rest } = data;
  return {
    ...rest,
    ...(finding !== undefined && { finding }),
    ...(verified !== undefined && { verified }),
    ...(recoverySeconds !== undefined && { recoverySeconds }),
    ...(queries !== undefined && { queries }),
  };
}
