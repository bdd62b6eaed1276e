// The table of sizes and times. Pure.
import { factsOf } from "../../../contract/engines";
import { kills, scenarioNames, scenarios, stepNames, type Kill, type StepName } from "../scenarios";
import { notMeasured, secondsText, sizeText, takenText } from "./format";
import type { StepResult } from "./results";

const titles: Readonly<Record<StepName, string>> = {
  backup: "backup",
  restore: "restore of the newest",
  moment: "restore to a moment between two commits",
};

const killTexts: Readonly<Record<Kill, string>> = {
  nothing: "",
  operator: "operator",
  job: "processes of the Job",
  pod: "pod of the Job",
};

export function stepTable(steps: readonly StepResult[]): string[] {
  const head = [
    "",
    "## Sizes and times",
    "",
    "*Program*: of a backup from when it began to copy to the end of its container (of those taken until 2026-11-28 what its object says, `durationSeconds`, which is 2 to 6 s more); of a restore, and where something is killed, from the first start of the Job's program to its last end, with all attempts and the pauses between them. *Ready*: from `kubectl apply` of the new Database until it is Ready. *Acknowledged*: rows of clients that must be there, *lost*: those that are not.",
    "",
  ];
  if (steps.length === 0) return [...head, notMeasured];
  return [
    ...head,
    "| engine | to | what | SIGKILL | size | stored | program | Ready | acknowledged | lost |",
    "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...inOrder(steps).map((step) => `| ${cellsOf(step).join(" | ")} |`),
    "",
    takenText(steps),
  ];
}

function inOrder(steps: readonly StepResult[]): readonly StepResult[] {
  const rank = ({ scenario, step, killed }: StepResult): number =>
    (scenarioNames.indexOf(scenario) * stepNames.length + stepNames.indexOf(step)) * kills.length +
    kills.indexOf(killed);
  return steps.toSorted((one, other) => rank(one) - rank(other));
}

function cellsOf({
  scenario,
  step,
  killed,
  bytes,
  stored_bytes,
  program_s,
  ready_s,
  acked,
  lost,
}: StepResult): string[] {
  const { engine, to } = scenarios[scenario];
  return [
    factsOf(engine).title,
    to,
    titles[step],
    killTexts[killed],
    sizeText(bytes),
    step === "backup" ? sizeText(stored_bytes ?? bytes) : "",
    secondsText(program_s),
    ready_s === undefined ? "" : secondsText(ready_s),
    acked === undefined ? "" : String(acked),
    lostText(lost),
  ];
}

/** A backup alone shows none. */
function lostText(lost: number | undefined): string {
  if (lost === undefined) return "";
  return lost === 0 ? "0" : `**${lost}**`;
}
