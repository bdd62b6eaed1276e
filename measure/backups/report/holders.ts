// What holds each case: the list at the end of the page. Pure.
import type { AcceptanceCase, Holder } from "../acceptance/case";
import { standingOf, type Records, type Standing } from "./standing";

export function holdersOf(cases: readonly AcceptanceCase[], records: Records): string[] {
  return [
    "",
    "## What holds each case",
    "",
    "Of a group of the rotation the last success is on record (`test/results/rotation.json`), of a case of [reliability](reliability.md) its last end, of what is measured here each line. *Simulated or in parts*: without real servers.",
    ...cases.filter(({ heldBy }) => heldBy.length > 0).flatMap((one) => linesOf(one, records)),
  ];
}

const linesOf = ({ number, heldBy }: AcceptanceCase, records: Records): string[] => [
  "",
  `**${number}**`,
  "",
  ...heldBy.map((holder) => `- ${holderLine(holder, records)}`),
];

/** One test or measurement with how it ended. */
export const holderLine = (holder: Holder, records: Records): string =>
  `${titleOf(holder)}: ${standingText(standingOf(holder, records))}`;

function titleOf(holder: Holder): string {
  if (holder.kind === "measured") return `measured: ${holder.step} of \`${holder.scenario}\``;
  const where = holder.isReal ? "" : ", simulated or in parts";
  if (holder.kind === "reliability") return `\`${holder.id}\` of reliability${where}`;
  return `\`${holder.file}\`${where}: “${holder.test}”`;
}

function standingText({ outcome, when }: Standing): string {
  const text = outcome === "passed" || outcome === "each run" ? outcome : `**${outcome}**`;
  return when === undefined ? text : `${text}; ${when.date}, ${when.commit}`;
}
