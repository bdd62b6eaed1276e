// The text of docs/availability.md.
import { factsOf } from "../../../contract/engines";
import { anomalyKinds, anomalyTitles } from "../consistency/anomalies";
import { faults, faultNames, type FaultName } from "../faults/list";
import { clients, limits } from "../load/limits";
import { cellsOf, engineNames, goalSeconds, isAboutSplits, mustKeepAll, type EngineName } from "../matrix";
import { newConnectionsText } from "./new-connections";
import type { Result } from "./results";

/** `results`: one for each cell that was measured. */
export function pageOf(results: readonly Result[]): string {
  const lines = [
    ...introduction,
    ...engineNames.flatMap((engine) => sectionOf(engine, results)),
    ...applications,
    ...consistency,
    ...method,
    ...simulated,
  ];
  return `${lines.join("\n")}\n`;
}

const introduction = [
  "# Availability",
  "",
  "<!-- Generated from measure/availability by `make availability`. Do not edit: the text is in measure/availability/report/page.ts. -->",
  "",
  "What applications see when something happens to the primary of a Database with three members, or two: for how long no write is acknowledged, and whether an acknowledged one is ever lost. Measured with real servers on a real node, with clients that write all the time.",
  "",
  "The members elect their primary themselves. The operator takes no part in it, so everything that needs no change of the spec is measured with the operator stopped, too. MongoDB is not measured: no `mongod` can be had where this is made ([what is proven](databases/mongodb.md#what-is-proven-and-what-is-not)).",
  "",
  "- **Outage**: the longest time between two successive acknowledgements, over all clients, from the last one before the fault until all members are complete again. The table has the median and the maximum of the tries. *One client* is the longest that any single client went without one: it may sit on a connection that hangs while others write already.",
  `- **Acknowledged**: the server answered the \`INSERT\` without an error within ${limits.statement / 1000} s. **Lost**: acknowledged, and at the end missing on the primary or on any other member. A statement that got no answer is neither: its row may be there or not.`,
  "- **Anomalies**: what other clients saw meanwhile whose serializable transactions append to lists and read them ([what is looked for](#what-transactions-may-see)); with the number of acknowledged transactions where there were none. *Not taken*: the line is of a time before this was measured.",
  "- **New connections**: every 100 ms, from the fault on, one is opened through the read-write Service for one read; how many there were, and how many of them got an error (*refused*), no answer within a second (*hung*), or less than had been acknowledged before they were opened (*stale*).",
  "- **Two writers**: moments at which two members acknowledged writes, asked directly, past the Services.",
];

function sectionOf(engine: EngineName, results: readonly Result[]): string[] {
  const own = results.filter((result) => result.engine === engine);
  const title = ["", `## ${factsOf(engine).title}`, ""];
  const [three, two] = [3, 2].map((count) => own.filter(({ members }) => members === count));
  if (three === undefined || three.length === 0) return [...title, "Not measured yet."];
  const small =
    two === undefined || two.length === 0 ? [] : ["", "With two members:", "", ...tableOf(two), "", takenOf(two)];
  const missing = missingOf(engine, three);
  const first = own.some(({ tries }) => tries < leastTries)
    ? ["", `Rows with fewer than ${leastTries} tries are a first look, and no measurement.`]
    : [];
  const missingText = missing === "" ? [] : ["", missing];
  return [...title, ...tableOf(three), "", takenOf(three), ...missingText, ...small, ...first, ...losses(own)];
}

/** With which versions, when, and of which commit. */
function takenOf(own: readonly Result[]): string {
  const versions = [...new Set(own.map(({ version }) => version))].join(", ");
  const dates = [...new Set(own.map(({ date }) => date))].sort();
  return `Version ${versions}; taken ${dates.join(", ")} with ${[...new Set(own.map(({ commit }) => commit))].join(", ")}.`;
}

/** Fewer tries of a kind show little. */
const leastTries = 5;

function tableOf(results: readonly Result[]): string[] {
  const rows = faultNames.flatMap((fault) =>
    results.filter((result) => result.fault === fault).sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1)),
  );
  return [
    "| fault | replication | operator | tries | outage, median | outage, max | goal | one client, max | acknowledged | lost | two writers | new connections | anomalies | |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |",
    ...rows.map((result) => `| ${cellsIn(result).join(" | ")} |`),
  ];
}

const orderOf = ({ replication, mode }: Result): string => `${replication} ${mode}`;

function cellsIn(result: Result): string[] {
  const { fault, replication, mode, tries, failed } = result;
  const goal = goalSeconds(result.engine, fault);
  return [
    `\`${fault}\``,
    replication,
    mode.replace("operator ", ""),
    failed === 0 ? String(tries) : `${tries} (and ${failed} failed)`,
    ...[result.outage_p50_s, result.outage_max_s].map(secondsText),
    goal === undefined ? "back by itself" : `≤ ${goal} s`,
    secondsText(result.client_max_s),
    String(result.acked),
    String(result.lost),
    String(result.two_writers),
    result.connections === undefined ? "not taken" : newConnectionsText(result.connections),
    anomaliesText(result),
    verdictOn(result),
  ];
}

const secondsText = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;

/** What transactions with lists showed; lines of before they were there have none. */
function anomaliesText({ lists }: Result): string {
  if (lists === undefined) return "not taken";
  return lists.anomalies.length === 0
    ? `none in ${lists.transactions}`
    : lists.anomalies.map((kind) => `\`${kind}\``).join(", ");
}

/** What was asked for and did not hold; `reached` where all of it did. */
export function verdictOn(result: Result): string {
  const goal = goalSeconds(result.engine, result.fault);
  const broken = [
    ...(goal !== undefined && result.outage_max_s > goal ? ["outage too long"] : []),
    ...(mustKeepAll(result) ? brokenPromises(result) : []),
    ...(isAboutSplits(result.fault) && result.two_writers > 0 ? ["two writers"] : []),
    ...(result.failed > 0 ? ["not back in time"] : []),
  ];
  return broken.length === 0 ? "reached" : `**${broken.join(", ")}**`;
}

const brokenPromises = ({ lost, lists, connections }: Result): readonly string[] => [
  ...(lost > 0 ? ["rows lost"] : []),
  ...((connections?.stale ?? 0) > 0 ? ["stale reads"] : []),
  ...((lists?.anomalies.length ?? 0) > 0 ? ["anomalies"] : []),
];

/** What asynchronous replication costs is said in words, whatever it is. */
function losses(results: readonly Result[]): string[] {
  const free = results.filter((result) => !mustKeepAll(result));
  if (free.length === 0) return [];
  const sum = (of: (result: Result) => number): number => free.reduce((total, result) => total + of(result), 0);
  const lost = sum(({ lost: rows }) => rows);
  const tries = sum((result) => result.tries);
  const told =
    lost === 0
      ? `In these ${tries} tries none was lost, which is no promise.`
      : `In these ${tries} tries ${lost} of ${sum(({ acked }) => acked)} were lost, in ${sum(({ lossy_tries: lossy }) => lossy)} of the tries.`;
  const full = results.filter((result) => result.replication === "asynchronous" && mustKeepAll(result));
  return [
    "",
    `With asynchronous replication, the default, a commit does not wait for another member: what was acknowledged right before a primary died alone, or while it was cut off from the others, may be lost. ${told} \`highAvailability.synchronousCommit: true\` makes commits wait.`,
    ...(full.length > 0
      ? [
          "",
          "After an outage of all members a replica that lacks something waits for the former primary, for up to 25 s, and then leads with what it has.",
        ]
      : []),
  ];
}

function missingOf(engine: EngineName, results: readonly Result[]): string {
  const missing = cellsOf(engine).filter(
    (cell) =>
      !results.some(
        ({ fault, replication, mode }) =>
          fault === cell.fault && replication === cell.replication && mode === cell.mode,
      ),
  );
  const names = [...new Set(missing.map(({ fault, replication, mode }) => `\`${fault}\` (${replication}, ${mode})`))];
  return names.length === 0 ? "" : `Not measured yet: ${names.join("; ")}.`;
}

const applications = [
  "",
  "## What an application should do",
  "",
  "- **Time everything out.** A connection to a member that has vanished or hangs gives no error by itself: it hangs, for as long as TCP lets it. Set a time limit for connecting (1 s here) and one for each statement (2 s here), on the client's side. TCP keep-alives help connections that lie idle.",
  "- **Reconnect after every error**, through the Service, at once and then again and again with short pauses. A connection from before a failover may lead to a member that is a replica by now, and refuses writes forever.",
  '- **Be ready for "unknown".** A statement without an answer may have been carried out. Repeat only what may be done twice: by a key that the application chooses itself (`INSERT … ON CONFLICT DO NOTHING`), or after a look whether it is there.',
  "- **Choose who waits.** Of PostgreSQL, what must never be lost needs `synchronousCommit: true`; it costs each commit a round trip to another member. MySQL waits always.",
  "- Pools: let them check a connection before it is handed out, and throw out all of them after an error that says read-only or shutting down.",
];

const consistency = [
  "",
  "## What transactions may see",
  "",
  "Beside the clients that insert rows as many others carry out transactions of one to four steps, of which each appends a number to one of four lists or reads one, on the primary, through the read-write Service, with the isolation level `SERIALIZABLE`. At the end the lists are read on every member. As every number is appended once, the lists tell in which order transactions took effect, and who saw whom; a checker looks for what cannot be if they had been carried out one after the other, each between its beginning and its acknowledgement. A transaction whose commit was not answered may have happened or not. The method is that of [Elle](https://github.com/jepsen-io/elle) (Kingsbury and Alvaro, 2020), the letters are Adya's (1999); the checker is in `measure/availability/consistency`.",
  "",
  "| anomaly | what it is |",
  "| --- | --- |",
  ...anomalyKinds.map((kind) => `| \`${kind}\` | ${anomalyTitles[kind]} |`),
  "",
  "That none was found proves nothing about what was not tried. And there is what the engines do not promise:",
  "",
  "- **Reads on replicas** (`<name>-ro`) are not checked. They may be stale in both engines. PostgreSQL has no `SERIALIZABLE` on a replica, and its primary and its replicas may show two transactions in different orders (*long fork*): commits become visible on the primary in another order than that in which they are in the WAL, also in `REPEATABLE READ`. What must see what was acknowledged reads from the primary.",
  "- **With asynchronous replication** a failover may lose the last commits, with what other transactions read of them: `lost`, and with it `incompatible-order` or `-realtime`, are what that looks like.",
  "- Weaker isolation levels, as PostgreSQL's default `READ COMMITTED` and MySQL's `REPEATABLE READ`, allow `G-single` and `G2` without any fault.",
];

const method = [
  "",
  "## How it is measured",
  "",
  `\`make availability\` starts an embedded cluster with a real node, installs the platform, and applies a Database with three members and all defaults else. ${clients} clients connect through the read-write Service with the credentials Secret, each on one connection, and insert numbered rows one after the other with ${limits.pause} ms between them. A statement without an answer after ${limits.statement / 1000} s is given up, an attempt to connect after ${limits.connect / 1000} s; after any error a client reconnects, every ${limits.again} ms until it can. The clients run on the machine and reach the Service by its address; what they cost is not taken off.`,
  "",
  "Once every client writes, the fault strikes. The load continues until all members are ready, have a role, and receive a row that is written at the primary. Then it ends, and the rows of the primary and, once they have caught up, those of every other member are compared with what the clients noted. Every 100 ms, meanwhile, each member is sent a write directly. A look lasts from its sending to its answer, and two members are writable at one moment where two looks that succeeded overlap: what happens for less than that between looks is not seen.",
  "",
  "| fault | what happens |",
  "| --- | --- |",
  ...faultNames.map((fault: FaultName) => `| \`${fault}\` | ${faults[fault].title} |`),
  "",
  "`kept-away` and `frozen` last until rows are acknowledged again and 5 s more. Before `all-killed` all pods are new: Kubernetes starts a container that keeps exiting after pauses that double up to five minutes. *Operator stopped* is a SIGTERM to its process before the tries; `rolling-config` and `minor-upgrade` are its work and cannot be without it.",
  "",
  "A primary of PostgreSQL that reaches the Kubernetes API keeps its lease, so in `cut-off-members` no other takes over, and the outage is how long commits wait for members that do not answer. In `cut-off` it loses the lease and takes no more writes; until then, with asynchronous replication, it acknowledges rows that no other member has. While it does not reach that API (`cut-off-api`), or that does not answer (`api-frozen`), it stays the primary for as long as it reaches all other members, which do not take over though they see its lease run out (Patroni's failsafe mode); when an API server that hung continues, it carries out a renewal of the lease that the primary had given up, and the primary recognizes it as its own. MySQL asks that API for nothing while it elects.",
  "",
  "By hand, a part of it:",
  "",
  "```console",
  "$ make availability ENGINE=postgresql FAULT=kill TRIES=5",
  "$ tsx measure/availability/main.ts --help        # with node_modules/.bin on PATH",
  "```",
  "",
  "Every line that was ever measured is in `measure/availability/results/failover.jsonl`; the tables show the latest of each kind. `make test` takes some of the faults once, and fails where writes do not come back, where a row is lost with `synchronousCommit`, or where two members are writable.",
];

const simulated = [
  "",
  "## What is simulated, and what is not measured",
  "",
  "Servers, Patroni, kubelet, containerd, kube-proxy and the API server are the real programs, and so are the signals and the deletions. But:",
  "",
  "- All members, the control plane and the clients share **one machine with two cores**. Where everything is busy at once, as when a member starts, that takes longer than on nodes of their own.",
  "- There is one node. `cut-off` stands for a network that parts nodes: packet filters in the pod's network namespace drop what comes from and goes to other pods, and all Services. The node itself stays healthy in the eyes of Kubernetes, so the pod stays an endpoint of its Service, which in a real partition ends after some 40 s; and clients reach both sides. Real partitions between nodes, a lost node and its time limits, and partitions that lose some packets are not measured.",
  "- `kept-away` stands for a lost node: the processes end silently. Their connections are reset by the kernel, though, where those of a lost node would just fall silent; `frozen` shows that.",
  "- A clock that jumps is not measured: all containers of a machine share its clock, and Linux gives no container one of its own.",
  "- Volumes are files of this machine; etcd does not wait for its disk. A disk that fails or fills up is another matter, and so is the loss of a volume.",
  "- The load is small and its rows are short. A server with much to recover after a crash takes longer to be back.",
];
