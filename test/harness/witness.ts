// Watches a cluster and its operators while a test file runs, and judges the invariants of test/judges/invariants when it ends.
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { filesIn, familyOf, lineOf, processesOf } from "../judges/invariants/processes";
import { invariants, isBroken, judge, reportOf, type Verdict } from "../judges/invariants/invariants";
import type { History } from "../judges/invariants/history";
import { readAuditLog, readCluster } from "../judges/invariants/read";
import { startRecorder } from "../judges/invariants/recorder";
import { operatorNamespace, type Leftovers, type Snapshot } from "../judges/invariants/snapshot";
import { recordUsage } from "../judges/rights/record";
import { problemWith, type End } from "../judges/invariants/alive";
import { eventually } from "./eventually";
import type { Kubectl } from "./kubectl";
import { OperatorContainers } from "./operator-containers";

/** An operator's process, as far as it is watched. */
export interface Followed {
  readonly pid: number;
  /** Its log as it came, line by line. */
  readonly lines: readonly string[];
  /** Of its own: work directory and directory for temporary files. */
  readonly directories: readonly string[];
  /** Its program, and when it was started, in milliseconds since 1970. */
  readonly program: string;
  readonly startedAt: number;
}

/** To be notified of how an operator ends. */
export interface Following {
  /** It was asked to stop, and has. */
  stopped(): Promise<void>;
  /** It ended, by itself or not. */
  ended(how: Pick<End, "code" | "signal" | "told">): void;
}

export interface Witness {
  /** Its watches are up: what it says and shows from now on is judged. */
  follow(operator: Followed): Following;
  /** What a test does to this namespace breaks these invariants (default: all) on purpose; `why` is shown. */
  disregard(namespace: string, why: string, names?: readonly string[]): void;
  /** Every version of every Database so far: for tests of what is so only for a moment. */
  readonly history: History;
  /** A test ends the operator's container in this pod, or brings that about; `why` is shown. To be said once for each end. */
  expectRestart(pod: string, why: string): void;
  /** Everything observed up to now, and the cluster as it is. */
  observe(): Promise<Snapshot>;
  /** Judges, shows the report and ends. Throws where an invariant is broken. */
  conclude(): Promise<void>;
  /** Ends without judging, as the cluster is lost on purpose. */
  abandon(): Promise<void>;
}

export interface WitnessOptions {
  readonly kubectl: Kubectl;
  /** As cluster-admin. */
  readonly environment: Readonly<Record<string, string>>;
  readonly auditLog: string;
  /** Whether the cluster runs operators itself: then their containers are followed. Default: no. */
  readonly deployed?: boolean;
}

/** The witness of this process's cluster: operators that are started report to it. */
let present: Witness | undefined;
export const presentWitness = (): Witness | undefined => present;

const operatorUser = `system:serviceaccount:${operatorNamespace}:database-operator`;

/** How often arguments of processes are looked at, in milliseconds. */
const sampleMs = 200;

export function startWitness({ kubectl, environment, auditLog, deployed = false }: WitnessOptions): Witness {
  const recorder = startRecorder(environment);
  const containers = new OperatorContainers(environment);
  if (deployed) containers.start();
  const logs: (readonly string[])[] = [];
  const argv = new Set<string>();
  const left: { files: string[]; processes: string[] } = { files: [], processes: [] };
  const ends: (() => string | undefined)[] = [];
  const starts: number[] = [];
  const stops: number[] = [];
  const releases: number[] = [];
  let before: string | undefined;
  const notes: string[] = [];
  const disregarded: Disregard[] = [];
  const samplers = new Set<NodeJS.Timeout>();
  const directories = new Set<string>();
  const witness: Witness = {
    history: recorder.history,
    follow({ pid, lines, directories: own, program, startedAt }) {
      logs.push(lines);
      starts.push(Date.now());
      if (before !== undefined && before !== program) releases.push(startedAt);
      before = program;
      for (const directory of own) directories.add(directory);
      const sampler = setInterval(() => {
        for (const member of familyOf(pid)) argv.add(member.argv);
      }, sampleMs).unref();
      samplers.add(sampler);
      return {
        ended(how) {
          clearInterval(sampler);
          stops.push(Date.now());
          // its last words may still be on their way
          ends.push(() => problemWith({ ...how, who: `process ${pid}`, lastLine: lines.at(-1) ?? "" }));
        },
        async stopped() {
          const found = await leftoversOf(own);
          left.files.push(...found.files);
          left.processes.push(...found.processes);
        },
      };
    },
    disregard(namespace, why, names = invariants.map(({ name }) => name)) {
      disregarded.push({ namespace, names });
      const which = names.length === invariants.length ? "" : ` for ${names.join(", ")}`;
      notes.push(`  namespace ${namespace} is not judged${which}: ${why}`);
    },
    expectRestart(pod, why) {
      containers.announce(pod);
      notes.push(`  the container of pod ${pod} may end once: ${why}`);
    },
    async observe() {
      const cluster = await readCluster(kubectl);
      const canaries = [...new Set([...cluster.canaries, ...recorder.canaries])];
      return {
        ...cluster,
        canaries,
        watched: recorder.history.watched,
        writes: await readAuditLog(auditLog),
        operatorUser,
        operator: {
          log: [...logs, ...containers.logs].flat(),
          argv: [...argv],
          ends: [...ends.flatMap((end) => end() ?? []), ...containers.ends],
          ...{ starts, stops, releases },
        },
        leftovers: { running: false, ...left },
      };
    },
    async conclude() {
      for (const sampler of samplers) clearInterval(sampler);
      await settle(witness, disregarded, notes).finally(() => witness.abandon());
    },
    async abandon() {
      for (const sampler of samplers) clearInterval(sampler);
      recorder.stop();
      containers.stop();
      await recordUsage(auditLog, { user: operatorUser, namespace: operatorNamespace });
      // an operator that was killed took nothing with it
      for (const directory of directories) await rm(directory, { recursive: true, force: true });
      if (present === witness) present = undefined;
    },
  };
  present = witness;
  return witness;
}

/** What an operator that stopped in peace left; its plugins may take a moment to notice that their engine is gone. */
async function leftoversOf(directories: readonly string[]): Promise<Omit<Leftovers, "running">> {
  const look = async (): Promise<Omit<Leftovers, "running">> => ({
    files: (await Promise.all(directories.map(filesIn))).flat(),
    processes: processesOf(directories, new Set()).map(lineOf),
  });
  const clean = eventually(
    async () => {
      const { files, processes } = await look();
      if (files.length + processes.length > 0) throw new Error("something is left");
    },
    { withinMs: 10_000 },
  );
  return clean.then(() => ({ files: [], processes: [] }), look);
}

interface Disregard {
  readonly namespace: string;
  /** Of invariants. */
  readonly names: readonly string[];
}

/**
 * In milliseconds. `still`: what is wrong counts when nothing has changed for so long and nothing is on its way out, as a
 * deletion that the last test began. `most`: it counts after so long in any case.
 */
const patienceMs = { still: 8000, most: 60_000, between: 1000 };

/** Judges until nothing is wrong, or it is sure that it stays so. */
async function settle(witness: Witness, disregarded: readonly Disregard[], notes: readonly string[]): Promise<void> {
  const began = performance.now();
  let since = began;
  let before = "";
  for (;;) {
    // an API server whose kinds have just changed, or that was just started, does not answer for a moment
    const snapshot = await eventually(() => witness.observe());
    const verdicts = judgeAll(snapshot, disregarded);
    const problems = verdicts.some(isBroken) ? reportOf(verdicts.filter(isBroken)) : "";
    if (problems === "") {
      show(verdicts, notes);
      return;
    }
    const now = performance.now();
    if (problems !== before || isOnItsWay(snapshot)) since = now;
    if (now - since >= patienceMs.still || now - began >= patienceMs.most) throw new BrokenInvariants(problems);
    before = problems;
    await delay(patienceMs.between);
  }
}

function show(verdicts: readonly Verdict[], notes: readonly string[]): void {
  const title = `${invariants.length} invariants, judged at the end of this file`;
  console.error([title, reportOf(verdicts), ...notes].join("\n"));
}

const judgeAll = (snapshot: Snapshot, disregarded: readonly Disregard[]): readonly Verdict[] =>
  invariants.flatMap((invariant) => {
    const unjudged = disregarded.filter(({ names }) => names.includes(invariant.name));
    return judge(without(new Set(unjudged.map(({ namespace }) => namespace)), snapshot), [invariant]);
  });

const isOnItsWay = ({ databases, objects }: Snapshot): boolean =>
  [...databases, ...objects].some(({ deleting }) => deleting);

class BrokenInvariants extends Error {
  constructor(report: string) {
    super(`invariants are broken:\n${report}`);
  }
}

/** The snapshot without some namespaces. */
function without(namespaces: ReadonlySet<string>, snapshot: Snapshot): Snapshot {
  if (namespaces.size === 0) return snapshot;
  const isElsewhere = ({ namespace }: { readonly namespace: string }): boolean => !namespaces.has(namespace);
  const isOther = (stack: string): boolean => !namespaces.has(stack.split(".")[0] ?? "");
  return {
    ...snapshot,
    databases: snapshot.databases.filter(isElsewhere),
    objects: snapshot.objects.filter(isElsewhere),
    states: snapshot.states.filter(({ stack }) => isOther(stack)),
    credentials: snapshot.credentials.filter(isOther),
    events: snapshot.events.filter(isElsewhere),
    watched: snapshot.watched?.filter(({ database }) => isElsewhere(database)),
    writes: snapshot.writes?.filter(isElsewhere),
  };
}
