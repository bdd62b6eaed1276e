// The text of docs/backups.md. Pure.
import { factsOf } from "../../../contract/engines";
import { capabilities } from "../acceptance/capabilities";
import type { AcceptanceCase } from "../acceptance/case";
import { kills } from "../scenarios";
import { capabilityList } from "./capability-list";
import { costTables } from "./costs";
import { holdersOf } from "./holders";
import type { CostResult } from "./results";
import { caseOutcome, killedIn, standingOf, type CaseOutcome, type Records } from "./standing";
import { stepTable } from "./steps";
import { method, simulated } from "./texts";

/** What is on record, the latest of each kind. */
export interface Recorded extends Records {
  readonly costs: readonly CostResult[];
}

export function pageOf(cases: readonly AcceptanceCase[], recorded: Recorded): string {
  const lines = [
    ...introduction(cases, recorded),
    ...caseTable(cases, recorded),
    ...stepTable(recorded.steps),
    ...costTables(recorded.costs),
    ...method,
    ...simulated,
    ...capabilityList(capabilities, recorded),
    ...holdersOf(cases, recorded),
  ];
  return `${lines.join("\n")}\n`;
}

function introduction(cases: readonly AcceptanceCase[], recorded: Recorded): string[] {
  const outcomes = cases.map((one) => caseOutcome(one, recorded));
  const count = (wanted: CaseOutcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  const supported = cases.filter(({ heldBy }) => heldBy.length > 0);
  const counted = [
    `${count("passed")} passed`,
    `${count("each run")} held by tests of each run`,
    `${count("in part")} in part`,
    `${count("only in parts")} only in parts`,
    `${count("failed")} failed`,
    `${count("not run")} not run`,
    `${count("not supported")} not supported`,
  ];
  return [
    "# What backups hold",
    "",
    "<!-- Generated from measure/backups by `make backups`. Do not edit: the text is in measure/backups/report. -->",
    "",
    "For those who decide whether to rely on backups and restores: each promise with what shows that it holds, and how long backups and restores of a certain size take, beside the bare tools. How to take one and get data back: [backup](databases/backup.md), [restore](databases/restore.md).",
    "",
    `Of ${cases.length} cases **${counted.join(", ")}**. Of ${supported.filter(({ open }) => open !== undefined).length} of those that are supported no test holds a part, which the last column names.`,
  ];
}

function caseTable(cases: readonly AcceptanceCase[], recorded: Recorded): string[] {
  return [
    "",
    "## Cases",
    "",
    "*In part*: some of the tests have not been run since they were written. *Each run*: held by tests that run with each `make test`, of which no single result is kept. *Only in parts*: by tests of single programs, or on simulated nodes. *SIGKILL*: what is killed meanwhile. The last column says what no test holds. [What holds each](#what-holds-each-case) is at the end.",
    "",
    "| | promise | engines | result | SIGKILL | not tested |",
    "| ---: | --- | --- | --- | --- | --- |",
    ...cases.map((one) => `| ${cellsOf(one, recorded).join(" | ")} |`),
  ];
}

function cellsOf(one: AcceptanceCase, recorded: Recorded): string[] {
  const outcome = caseOutcome(one, recorded);
  const isPlain = outcome === "passed" || outcome === "each run";
  return [
    String(one.number),
    one.promise,
    one.engines.map((engine) => factsOf(engine).title).join(", "),
    [isPlain ? outcome : `**${outcome}**`, ...oldestOf(one, recorded)].join("; "),
    killedIn(one, recorded)
      .map((killed) => killTitles[killed] ?? killed)
      .join(", "),
    one.open ?? "",
  ];
}

const killTitles: Readonly<Record<string, string>> = Object.fromEntries(
  kills.map((kill) => [kill, kill === "job" ? "Job" : kill]),
);

/** The oldest result that counts. */
function oldestOf({ heldBy }: AcceptanceCase, recorded: Recorded): string[] {
  const all = heldBy.flatMap((holder) => standingOf(holder, recorded).when ?? []);
  const [oldest] = all.toSorted((one, other) => (one.date < other.date ? -1 : 1));
  return oldest === undefined ? [] : [`${oldest.date}, ${oldest.commit}`];
}
