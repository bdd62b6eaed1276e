// What is known of a restore with binary logs before anything is copied: why it cannot be, and how much room it takes.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Manifest } from "../copies/manifest";
import { parseGtidSet } from "../gtid";
import { versionProblem } from "../copies/fit";
import type { Plan } from "./plan";
import { planFor, type Wish } from "./readable";

/** What is known. */
export interface Foreseen {
  /** Why it cannot be restored; undefined where it may be. */
  readonly refusal?: string | undefined;
  /** Bytes of logs that are copied, and of all that are replayed. */
  readonly copies: number;
  readonly replayed: number;
}

/** Looks ahead. `version`: of the server of this image, such as "9.7.4". */
export async function foresee(
  wish: Wish,
  { transactions, copiedAt }: Pick<Manifest, "transactions" | "copiedAt">,
  version: string,
): Promise<Foreseen> {
  const plan = await planFor(wish, parseGtidSet(transactions));
  if (!("problem" in plan)) return { refusal: tooNew(plan, version), ...(await bytesOf(plan)) };
  // the copy may have more than is noted: what was committed while it was made
  const isCertain = plan.before === undefined || (copiedAt !== undefined && plan.before >= Date.parse(copiedAt) * 1000);
  return { refusal: isCertain ? plan.problem : undefined, copies: 0, replayed: 0 };
}

/** What the server may not read; undefined where it reads all. */
export function tooNew({ logs }: Pick<Plan, "logs">, version: string): string | undefined {
  const problems = logs.map(({ path, server }) => versionProblem(`the binary log ${basename(path)}`, server, version));
  return problems.find((problem) => problem !== undefined);
}

/** Files of which not all counts are copied up to there. */
async function bytesOf({ logs }: Plan): Promise<Pick<Foreseen, "copies" | "replayed">> {
  let [copies, replayed] = [0, 0];
  for (const { path, end } of logs) {
    const { size } = await stat(path);
    copies += end === undefined ? 0 : size;
    replayed += end ?? size;
  }
  return { copies, replayed };
}
