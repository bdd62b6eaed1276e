// The command that judges the invariants of a cluster and of the operator that runs in it.
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { kubectlFor } from "../../harness/kubectl";
import { isBroken, judge, reportOf } from "./invariants";
import { familyOf, filesIn, lineOf, processesOf, residentOf } from "./processes";
import { readAuditLog, readCluster } from "./read";
import { refreshProblems } from "./refresh";
import {
  operatorNamespace,
  type DatabaseView,
  type Leftovers,
  type OperatorTraces,
  type Snapshot,
  type WatchedDatabase,
} from "./snapshot";

interface Options {
  readonly namespace?: string;
  readonly auditLog?: string;
  readonly operatorUser: string;
  readonly operatorPid?: number;
  readonly workDirectory?: string;
  readonly refresh?: true;
}

async function main(options: Options): Promise<void> {
  const kubectl = kubectlFor({});
  const cluster = await readCluster(kubectl, options.namespace);
  const snapshot: Snapshot = {
    ...cluster,
    ...(await audited(options, cluster.databases)),
    operatorUser: options.operatorUser,
    operator: tracesOf(options),
    leftovers: await leftoversOf(options),
  };
  const verdicts = judge(snapshot);
  console.log(reportOf(verdicts));
  const drifted = options.refresh ? await refreshProblems(snapshot, kubectl) : [];
  for (const problem of drifted) console.log(pc.red(`    refresh: ${problem}`));
  process.exitCode = verdicts.some(isBroken) || drifted.length > 0 ? 1 : 0;
}

/** Times in conditions are whole seconds: what they report came about by the end of that one. */
const secondMs = 1000;
/** What was caused so long before a Database came to rest may still be answered then. */
const beforeMs = 10_000;

/** Without a record of the past, a Database counts as at rest since its conditions last changed. */
async function audited(
  { auditLog }: Options,
  databases: readonly DatabaseView[],
): Promise<Pick<Snapshot, "watched" | "writes">> {
  if (auditLog === undefined) return { watched: undefined, writes: undefined };
  const watched = databases.map((database): WatchedDatabase => {
    const changes = database.conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime));
    return { at: Math.max(0, ...changes) + secondMs, deleted: false, first: true, database };
  });
  const since = Math.min(...watched.map(({ at }) => at)) - beforeMs;
  const writes = await readAuditLog(auditLog);
  return { watched, writes: writes.filter(({ at }) => at >= since) };
}

function tracesOf({ operatorPid }: Options): OperatorTraces | undefined {
  if (operatorPid === undefined) return undefined;
  const family = familyOf(operatorPid);
  const ends = family.length === 0 ? [`there is no process ${operatorPid}`] : [];
  return { log: [], argv: family.map(({ argv }) => argv), ends, starts: [], stops: [], releases: [] };
}

/** The operator's directories are found among others where it has the system's directory for temporary files. */
async function leftoversOf({ workDirectory, operatorPid = 0 }: Options): Promise<Leftovers | undefined> {
  if (workDirectory === undefined) return undefined;
  const isShared = workDirectory === tmpdir();
  const resident = residentOf(operatorPid);
  const found = (await filesIn(workDirectory)).filter((file) => file !== resident.directory);
  const files = isShared ? found.filter((file) => basename(file).startsWith("database-operator-run-")) : found;
  const processes = processesOf(isShared ? files : [workDirectory], new Set([operatorPid, ...resident.pids])).map(
    lineOf,
  );
  return { running: operatorPid !== 0, files, processes };
}

new Command("invariants")
  .description(
    "Judges what must hold whatever happened, from outside the operator: reads the cluster of the current kubeconfig as its administrator. Ends with 1 where something is broken.",
  )
  .option("--namespace <name>", "only Databases of this namespace")
  .option("--audit-log <file>", "the API server's audit log: judges quiet and reach")
  .option(
    "--operator-user <name>",
    "who the operator is at the API server; under `make run` the user of its kubeconfig",
    `system:serviceaccount:${operatorNamespace}:database-operator`,
  )
  .option(
    "--operator-pid <pid>",
    "the operator's process on this machine: looks at the arguments of what it runs",
    Number,
  )
  .option("--work-directory <directory>", "the operator's work directory on this machine: judges leftovers")
  .option("--refresh", "also let Pulumi compare each state with the cluster; takes some seconds per Database")
  .action(main)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  });
