// The text of docs/performance.md.
import type { Figure } from "../figures";
import { metricOf, ratioTo, verdictOn } from "../metrics";
import { profile } from "./profile";
import type { Entry } from "./results";
import { numberText, ratioText } from "./table";

/** `chart`: path of the chart as the page refers to it. */
export function pageOf(entry: Entry, chart: string): string {
  const lines = [
    ...introduction(entry, chart),
    ...tableOf(entry.figures),
    ...(entry.problems.length === 0
      ? []
      : ["", "Not measured in this run:", "", ...entry.problems.map((text) => `- ${cell(text)}`)]),
    ...profile,
    ...method(entry),
  ];
  return `${lines.join("\n")}\n`;
}

function introduction({ size, databases, figures }: Entry, chart: string): string[] {
  const verdicts = figures.map((figure) => verdictOn(figure));
  const count = (wanted: string): number => verdicts.filter((verdict) => verdict === wanted).length;
  const judged = verdicts.filter((verdict) => verdict !== "").length;
  return [
    "# Performance",
    "",
    "<!-- Generated from measure/bench by `make bench`. Do not edit: the text is in measure/bench/report/page.ts. -->",
    "",
    "What a Database costs and how long one waits for it, compared in one run, on one machine, against",
    "",
    "- **stock**: the stock Automation API as its documentation shows it: `createOrSelectStack`, then `up`, with the file",
    "  backend, one worker; it declares the same children by the same program;",
    "- **floor**: the same children by server-side apply over kept-alive connections, without Pulumi: what the API server",
    "  itself takes. Nothing can be quicker.",
    "",
    `**${count("reached")} of ${judged} targets reached.**`,
    ...(size === "small" ? ["", smallNote(databases)] : []),
    "",
    `![Bars: this operator, the stock Automation API, and plain requests](${chart})`,
    "",
  ];
}

const smallNote = (databases: number): string =>
  `> These figures are from a small run: wherever a name says 100 or 1000, there were ${databases} Databases. \`make bench\` takes the full number.`;

function tableOf(figures: readonly Figure[]): string[] {
  return [
    "| figure | meaning | unit | ours | stock | floor | vs stock | vs floor | target | |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |",
    ...figures.map((figure) => {
      const { name, unit, ours, stock, floor } = figure;
      const { title, target } = metricOf(name);
      const cells = [
        ...[`\`${name}\``, title, unit],
        ...[ours, stock, floor].map(numberText),
        ...[stock, floor].map((other) => ratioText(ratioTo(figure, other))),
        ...[target?.text ?? "", verdictOn(figure)],
      ];
      return `| ${cells.map(cell).join(" | ")} |`;
    }),
    "",
    "A ratio above 1 says that ours is better, whichever way is better. A dash: there is nothing to compare with.",
  ];
}

function method(entry: Entry): string[] {
  const children = entry.figures.find(({ name }) => name === "children")?.ours;
  return [
    "",
    "## How it is measured",
    "",
    `\`make bench\` starts an embedded cluster, installs the platform with \`pulumi up\`, starts the operator as a process of its own, and takes everything in one run; \`make bench SIZE=small\` does the same with 20 Databases in a few minutes. Figures go to \`measure/bench/results/latest.jsonl\`, every run is a line of \`history.jsonl\`.`,
    "",
    `- A Database here has one member and all defaults else: **${children ?? "?"} children**, the same for all three. All three have the rights of the operator's ServiceAccount. The baselines' children have no owner reference, as there is no Database that could own them.`,
    "- Creation, update, preview and deletion are taken one at a time on an otherwise idle system; operator, stock and floor take turns, so that noise hits all of them. The first ones, while everything is loaded and connected, do not count.",
    "- Times are taken by watches in the measuring process, from before the request until the last child (or the change, or the condition) is seen; those of `resync` and `restart` are read off the operator's log. What the measuring process costs is not part of any figure, but it runs on the same cores.",
    "- The kubectl plugin is taken as a process, from its start to its end, by the built file under Node; `kubectl get` takes turns with it, with its cache of the API filled.",
    "- Throughput comes from batches that are applied at once and take turns as well. `floor` makes four Databases at a time, all children of each side by side.",
    "- Drift: half of the Databases have the selector of a Service edited, half have a Service deleted. Readiness: a pod's condition is set to false and back to true.",
    "- A look at all of them (`resync`) is brought about by an edit of every Database that asks for nothing: an annotation. The operator has no timer of its own. Writes are those of its identity in the API server's audit log, as are the requests of a creation, which contain those of the Pulumi provider.",
    "- `restart`: from the start of the process until each of the Databases has been looked at. A run is a Pulumi operation; the processes that stay, the resident Pulumi and its provider, are none.",
    `- CPU: ${entry.accounting}; the operator with everything that it starts, or the process of a baseline with everything that it starts. Memory is the sum of resident pages, sampled 20 times a second; pages that processes share count once for each.`,
    "",
    "## What is simulated",
    "",
    "API server, etcd, controller manager and scheduler are the real programs. Nodes and kubelets are simulated by kwok: pods become Ready at once, Jobs complete, no container runs and no volume has a disk. So these figures say what it takes to have the objects and the status right, and nothing of how long a database takes to start. etcd does not wait for its disk, and the controller manager may send 200 requests a second instead of 20, so that neither is what is measured.",
    "",
    "## This run",
    "",
    `- ${entry.date} UTC, commit ${entry.commit}, ${entry.size} size`,
    `- ${entry.cores} cores (${entry.processor}), ${entry.memoryGb} GB of memory, shared with the whole control plane`,
    `- Node ${entry.node}`,
  ];
}

/** Text as a table's cell takes it. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
