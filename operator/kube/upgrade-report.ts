// What the program of a major upgrade says at its end, as its pod shows it.
import { z } from "zod";
import { upgradeActs, type UpgradeReport } from "../../contract/upgrade-report";
import { shortened } from "../domain/shortened";
import { parseJson } from "../objects/json";

const seconds = z.number().nonnegative();
/** On one line, and without what a terminal would act on: what servers say of names that users chose is among it. */
const text = z.string().transform((said) => said.replaceAll(/[\p{Cc}\s]+/gu, " ").trim());
const names = z.array(text.transform((name) => shortened(name, longestName))).max(20);
const longestName = 128;
const longestMessage = 640;

/** What cannot be read counts as unknown, but for what it did. */
const Report = z.object({
  upgrade: z.enum(upgradeActs),
  seconds,
  conversionSeconds: seconds.exactOptional().catch(0),
  message: text.transform((message) => shortened(message, longestMessage)),
  slots: names.exactOptional().catch([]),
  subscriptions: names.exactOptional().catch([]),
  indexes: z.int().nonnegative().exactOptional().catch(0),
  extensions: names.exactOptional().catch([]),
}) satisfies z.ZodType<UpgradeReport>;

/** The report in a termination message; undefined where that is something else. */
export const upgradeReportIn = (message: string): UpgradeReport | undefined =>
  Report.safeParse(parseJson(message)).data;
