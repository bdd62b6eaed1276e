// What backups and restores cost, beside the bare tools. Pure.
import { factsOf } from "../../../contract/engines";
import { scenarioNames, scenarios } from "../scenarios";
import { notMeasured, rateText, secondsText, sizeText, takenText } from "./format";
import type { CostResult } from "./results";

/** Of the bare tool's rate that is asked for. */
export const goalShare = 0.9;

export function costTables(costs: readonly CostResult[]): string[] {
  const head = ["", "## What they cost", ""];
  if (costs.length === 0) return [...head, notMeasured];
  const ordered = costs.toSorted(
    (one, other) => scenarioNames.indexOf(one.scenario) - scenarioNames.indexOf(other.scenario),
  );
  return [...head, ...rates(ordered), ...load(ordered), ...lag(ordered), "", takenText(ordered)];
}

function rates(costs: readonly CostResult[]): string[] {
  return [
    `Size per second, of the program of the Job and of the bare tool that does the same; the goal is ${goalShare} of the bare tool's rate. The mean of two runs each, in turn, after a \`sync\`; times of programs are known to the second.`,
    "",
    "| engine | to | what | size | program | bare tool | share | |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
    ...costs.flatMap(rateRows),
    "",
    ...costs.map(copyText),
  ];
}

function rateRows(cost: CostResult): string[] {
  const { engine, to } = scenarios[cost.scenario];
  const pairs = [
    ["backup", cost.bytes, cost.backup_s, cost.bare_backup_s],
    ["restore", cost.restored_bytes, cost.restore_s, cost.bare_restore_s],
  ] as const;
  return pairs.map(([what, bytes, ours, bare]) => {
    const rateOf = (seconds: number): string => `${rateText(bytes, seconds)} (${secondsText(seconds)})`;
    const share = bare / Math.max(ours, 0.001);
    const cells = [factsOf(engine).title, to, what, sizeText(bytes), rateOf(ours), rateOf(bare), share.toFixed(2)];
    return `| ${[...cells, verdictOn(share)].join(" | ")} |`;
  });
}

export const verdictOn = (share: number): string => (share >= goalShare ? "reached" : "**below the goal**");

/** Which bare tools, and what of their time is the copy alone. */
function copyText({ scenario, bytes, bare_copy_s }: CostResult): string {
  const { engine, to, bare } = scenarios[scenario];
  return `- **${factsOf(engine).title} to ${to}**: ${bare.backup}; the copy alone ${rateText(bytes, bare_copy_s)} (${secondsText(bare_copy_s)}). Restore: ${bare.restore}.`;
}

function load(costs: readonly CostResult[]): string[] {
  return [
    "",
    "Clients that write without a pause to the only member, with and without a backup of it at the same time:",
    "",
    "| engine | to | without | while a backup runs | share |",
    "| --- | --- | ---: | ---: | ---: |",
    ...costs.map(({ scenario, tps_without, tps_with }) => {
      const { engine, to } = scenarios[scenario];
      const share = (tps_with / Math.max(tps_without, 0.001)).toFixed(2);
      const rates = [tps_without, tps_with].map((tps) => `${tps.toFixed(0)}/s`);
      return `| ${[factsOf(engine).title, to, ...rates, share].join(" | ")} |`;
    }),
  ];
}

function lag(costs: readonly CostResult[]): string[] {
  return costs.flatMap(({ archive }) =>
    archive === undefined
      ? []
      : [
          "",
          `**Archive.** While ${archive.written_mb_s.toFixed(1)} MB of rows were written per second, what was written was in object storage after ${secondsText(archive.median_s)} (median) and ${secondsText(archive.max_s)} at most, with \`pointInTime.everySeconds: ${archive.every_s}\`.`,
        ],
  );
}
