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
  const passed = cases.filter(({ id }) => results.get(id)?.result === "passed");
  const subcases = passed.reduce((sum, { id }) => sum + (results.get(id)?.subcases ?? 0), 0);
  return [
    "# Reliability",
    "",
    "<!-- Generated from test/reliability by `make generate`. Do not edit. -->",
    "",
    "What happens to a Database when something goes wrong, and the test of each promise. A case is data in",
    "`test/reliability/cases/`; exactly one test proves it, and bears its title and expectation as its name.",
    "",
    `**${passed.length} of ${cases.length} cases passed** when they were last run in full, with ${subcases} sub-cases within them.`,
    "",
    "## How to run them",
    "",
    "| command | runs |",
    "| --- | --- |",
    "| `make test` | all cases; of the long ones a slice, another one each day |",
    "| `make test-faults` | the long ones in full: each point at which something can die; takes hours |",
    "| `make test-cluster ONLY='<part of a title>'` | one case |",
    "| `tsx test/invariants/main.ts` | the invariants below, on the cluster of the current kubeconfig |",
    "",
    "Both write how cases ended to `test/reliability/results.json`, but not where `CI` is set.",
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

function resultOf({ id }: Case, results: Results): string {
  const found = results.get(id);
  if (found === undefined) return "not run yet";
  return found.subcases === 0 ? found.result : `${found.result}, ${found.subcases} sub-cases`;
}

/** Text as a table's cell takes it. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
