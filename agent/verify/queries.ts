// The queries of the Database's author, as the operator wrote them into a file of the pod.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { queriesFile, queryLimits, type DrillQuery } from "../../contract/verification-report";
import { isMissing } from "../disk";
import { required } from "../environment";
import { answerOf, type Answered } from "./decide";

const Queries = z
  .array(
    z.object({
      name: z.string().max(queryLimits.name),
      sql: z.string().max(queryLimits.sql),
      expect: z.string().max(queryLimits.expect).optional(),
    }),
  )
  .max(queryLimits.most) satisfies z.ZodType<readonly DrillQuery[]>;

/** The queries in the text of their file. Throws where it is something else. */
export const queriesIn = (text: string): readonly DrillQuery[] => Queries.parse(JSON.parse(text));

/** Those of this drill; none where there is no such file. */
export async function givenQueries(): Promise<readonly DrillQuery[]> {
  const text = await readFile(join(required("QUERIES_DIRECTORY"), queriesFile), "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "[]";
    throw error;
  });
  return queriesIn(text);
}

const longestShown = 200;

/** How a query ended, with what it returned in the log where that is not what it is to be. */
export function answered(
  query: DrillQuery,
  row: readonly (string | null)[] | undefined,
  log: (message: string) => void,
): Answered {
  const end = answerOf(query, row);
  const found = row === undefined ? "no row" : JSON.stringify(row[0]).slice(0, longestShown);
  if (end.answer !== "AsExpected")
    log(`query ${query.name}: ${found}, where ${JSON.stringify(query.expect)} is expected`);
  return end;
}

/** How one ended that is refused, with this SQLSTATE: the server's text could show what is in the data. */
export const refused = (name: string, state: string | undefined): Answered => ({
  name,
  answer: "Failed",
  why: `failed with SQLSTATE ${state ?? ""}; the log of the drill has the error`,
});
