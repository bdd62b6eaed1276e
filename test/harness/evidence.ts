// What a file of tests leaves to be looked into where something of it failed: logs of clusters and operators as they come, and
// objects, events and logs of members at the moment of a failure. The run that started the file says where, and removes what belongs
// to files that passed (test/runner/evidence.ts).
import { appendFileSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Cluster } from "../../tools/cluster/cluster";
import { layoutOf } from "../../tools/cluster/layout";
import { evidenceVariable, nameOf } from "../runner/evidence";
import { dump } from "./evidence-dump";
import type { Kubectl } from "./kubectl";

/** A cluster that is looked at where something fails. */
export interface Observed {
  readonly cluster: Pick<Cluster, "name" | "directory">;
  readonly kubectl: Kubectl;
}

/** By a run only: a file that is run by hand leaves nothing. */
const directory = process.env[evidenceVariable];

/** Most dumps of one file: where everything fails, the first show what the others would. */
const most = 10;
/** For one dump, in milliseconds: a cluster that does not answer must not hold up the tests that follow. */
const patienceMs = 30_000;

const observed = new Set<Observed>();
let dumps = 0;

/** Begins to keep the logs of a cluster that runs. */
export function observeCluster(args: Observed): void {
  if (directory === undefined) return;
  observed.add(args);
  const { auditLog, logs } = layoutOf(args.cluster.directory);
  const target = join(directory, args.cluster.name);
  mkdirSync(target, { recursive: true });
  // another name for the same file: it outlives the cluster's directory, and takes no room
  for (const file of [auditLog, ...readdirSync(logs).map((name) => join(logs, name))])
    linkTo(file, join(target, basename(file)));
}

function linkTo(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    // not there yet, or on another file system
  }
}

/** Nothing more is asked of a cluster that is about to end. */
export function forgetCluster({ cluster }: Pick<Observed, "cluster">): void {
  for (const one of observed) if (one.cluster.name === cluster.name) observed.delete(one);
}

/** Keeps a line of an operator's log. */
export function keepLine(pid: number, line: string): void {
  if (directory === undefined) return;
  mkdirSync(directory, { recursive: true });
  appendFileSync(join(directory, `operator-${pid}.log`), `${line}\n`);
}

/** Writes down how the clusters are now, under that title. Never throws. */
export async function keepMoment(title: string): Promise<void> {
  if (directory === undefined || dumps >= most) return;
  dumps += 1;
  const place = join(directory, `${dumps}-${nameOf(title).slice(0, 80)}`);
  const all = Promise.all([...observed].map((one) => dump(sourceOf(one), join(place, one.cluster.name))));
  await Promise.race([all, delay(patienceMs, undefined, { ref: false })]).catch(async (error: unknown) => {
    await writeFile(join(directory, "problems.txt"), `${String(error)}\n`).catch(() => undefined);
  });
}

const sourceOf = ({ kubectl }: Observed): Parameters<typeof dump>[0] => ({
  list: (kinds, selection) => kubectl.list(kinds, selection),
  logs: (namespace, pod) =>
    kubectl(...["logs", pod, "-n", namespace, "--all-containers", "--prefix", "--tail=500", "--ignore-errors"]),
});

const Ended = z.object({ name: z.string(), passed: z.boolean(), error: z.unknown() });
const OnlyWithin = z.object({ failureType: z.literal("subtestsFailed") });

if (directory !== undefined) {
  // of the whole file: it is called for each test in it, at any depth
  afterEach(async (context) => {
    const ended = Ended.safeParse(context).data;
    if (ended === undefined || ended.passed || OnlyWithin.safeParse(ended.error).success) return;
    await keepMoment(ended.name);
  });
}
