// The page docs/reliability.md: what is promised when things go wrong, case by case, with how the test of each ended.
import { invariants } from "../invariants/invariants";
import type { Case } from "./case";
import type { Results } from "./results";

/** The page's text. */
export function reliabilityPage(cases: readonly Case[], results: Results): string {
  const areas = [...new Set(cases.map(({ area }) => area))];
  const tables = areas.flatMap((area) =>
    tableOf(
      area,
      cases.filter((one) => one.area === area),
      results,
    ),
  );
  return `${[...introduction(cases, results), ...tables].join("\n")}\n`;
}

function introduction(cases: readonly Case[], results: Results): string[] {
  const count = (wanted: string): number => cases.filter((one) => outcomeOf(one, results) === wanted).length;
  const subcases = cases.reduce((sum, { id }) => sum + (results.get(id)?.subcases ?? 0), 0);
  return [
    "# Reliability",
    "",
    "<!-- Generated from test/judges/reliability by `make generate`. Do not edit. -->",
    "",
    "What happens to a Database when something goes wrong, and the test of each promise. A case is data in",
    "`test/judges/reliability/cases/`; exactly one test proves it, and bears its title and expectation as its name.",
    "",
    `Of ${cases.length} cases **${count("passed")} passed, ${count("failed")} failed, ${count("not run")} not run**, with ${subcases} sub-cases within them.`,
    "Each row says on which day, and at which commit, the case last ran, and whether in full or in a slice of it.",
    "",
    "## How to run them",
    "",
    "| command | runs |",
    "| --- | --- |",
    "| `make test` | all cases but those whose turn it is not; of the long ones a slice, another one with each commit |",
    "| `make test-faults` | the long ones in full: each point at which something can die; takes hours |",
    "| `SHARD=2/8 make test-faults` | the second of eight parts of that; once all have passed, the case has, in full |",
    "| `make test-cluster ONLY='<part of a title>'` | one case |",
    "| `tsx test/judges/invariants/main.ts` | the invariants below, on the cluster of the current kubeconfig |",
    "",
    "Both write how cases ended to `test/judges/reliability/results.json`, but not where `CI` is set.",
    "",
    "## What is real and what is simulated",
    "",
    "API server, etcd, controllers, scheduler, the Pulumi CLI, its provider and the operator are the real programs, each a",
    "process of its own. In cluster tests the nodes are simulated: pods become ready, but nothing runs in them, so these cases",
    "say nothing about the rows of a database; volumes are objects without a disk. What needs PostgreSQL itself is tested on a",
    "real node, in `test/e2e`. Faults of the network between operator and API server are made by a proxy; faults of disks and",
    "of the machine are not made at all.",
    "",
    "## What holds after each test",
    "",
    "A checker outside the operator reads the cluster, the audit log, the operator's log and its processes after each file of",
    "tests, whatever it was about, and the file fails where one of these does not hold. Each has a test that plants the fault.",
    "",
    "| invariant | what holds |",
    "| --- | --- |",
    ...invariants.map(({ name, promise }) => `| ${name} | ${cell(promise)} |`),
  ];
}

function tableOf(area: string, cases: readonly Case[], results: Results): string[] {
  return [
    "",
    `## ${area}`,
    "",
    "| case | how it is provoked | expected | result |",
    "| --- | --- | --- | --- |",
    ...cases.map(
      (one) => `| ${[one.title, one.provoked, one.expected, resultOf(one, results)].map(cell).join(" | ")} |`,
    ),
  ];
}

/** How a case stands: what was skipped did not run. */
function outcomeOf({ id }: Case, results: Results): "passed" | "failed" | "not run" {
  const result = results.get(id)?.result ?? "skipped";
  return result === "skipped" ? "not run" : result;
}

function resultOf(one: Case, results: Results): string {
  const found = results.get(one.id);
  const outcome = outcomeOf(one, results);
  if (found === undefined || outcome === "not run") return outcome;
  const { subcases, extent, date, commit, shards = {} } = found;
  const of = Object.keys(shards)[0]?.split("/")[1];
  const commits = new Set(Object.values(shards).map((shard) => shard.commit.slice(0, 7)));
  const parts = `${Object.keys(shards).length} of ${of ?? 0} shards passed (${[...commits].join(", ")})`;
  return [
    outcome,
    ...(subcases > 0 ? [`${subcases} sub-cases`] : []),
    ...(one.slice === undefined ? [] : [extent === "full" ? "in full" : `a slice: ${one.slice}`]),
    `${date}, ${commit.slice(0, 7)}`,
    ...(of === undefined ? [] : [parts]),
  ].join("; ");
}

/** Text as a table's cell takes it. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
