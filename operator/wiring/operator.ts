// Puts the operator together: watches feed the queue, the queue works with the controller, the controller runs stacks.
import type { KubeConfig } from "@kubernetes/client-node";
import type { Logger } from "pino";
import { OLDEST_KUBERNETES } from "../../components/kubernetes-version";
import { fieldManager } from "../../components/naming";
import type { Config } from "../config";
import { accessOf } from "../kube/access";
import { KubeClient } from "../kube/client";
import { createDatabases, type OwnWrites } from "../kube/databases";
import { requireKubernetes } from "./kubernetes-version";
import { ensureStateKey } from "../kube/operator-secrets";
import { createStackRecords } from "../kube/stack-records";
import { LiveWorld, type WorldOptions } from "../kube/world";
import { openTerm } from "./term";
import { createMetrics, type Metrics } from "../metrics/metrics";
import { operatorVersion } from "../version";
import type { Key } from "../domain/key";
import type { StackRecords } from "../domain/records";
import { openPreviews } from "./open-previews";
import { openSideQueues, type SideQueues } from "./open-side-queues";
import { openPorts, type ReconcileWiring } from "./open-ports";
import { serveProbes, type Probes } from "./probes";
import { KeyedQueue, type QueueOptions } from "../queue/queue";
import { createController, type ControllerHooks } from "../reconcile/controller";
import { hooksTo, problemsTo } from "./reporting";
import { serveWebhooks } from "./serve-webhooks";
import { FleetMemory } from "../rollout/fleet";
import { sweepDirectories } from "../stack/directories";
import { openStacks } from "../stack/open";
import { programVersion } from "../stack/program-version";

/** Children move in company: they are looked at once for all that happen within this time, in milliseconds. */
const childrenSettleMs = 50;

/** Turns without a run in progress at the same time: they wait for the API server only. */
const looksAtOnce = 16;

const build = { version: operatorVersion, program: programVersion() };

export interface Operator {
  readonly probes: Probes;
  /** Resolves with why once another one leads, or may: nothing may be written from then on, and this one cannot continue. */
  readonly lost: Promise<string>;
  /** Ends watches, lets running reconciles finish their run gracefully, and resolves when nothing is in progress. */
  stop(): Promise<void>;
}

/**
 * Starts the operator; resolves once the first lists are in and it leads, or stands by. Rejects when something it cannot do
 * without is missing.
 */
export async function startOperator(config: Config, kubeConfig: KubeConfig, log: Logger): Promise<Operator> {
  const access = accessOf(kubeConfig);
  // for what every operator does, whether it leads or not
  const [common, reader] = [new KubeClient(access, fieldManager), new KubeClient(access, fieldManager)];
  await requireKubernetes(common, unknownVersionTo(log));
  const term = openTerm(common, config, log);
  const client = new KubeClient(access, fieldManager, () => term.isLeading);
  const stopping = new AbortController();
  const concurrency = { look: looksAtOnce, run: config.workers };
  const metrics = createMetrics({
    ...{ queue: () => queue, maxWorkers: concurrency.look + concurrency.run, build },
    ...{ isLeading: () => term.isLeading, databases: () => world.all() },
  });
  const { namespace, watchNamespaces } = config;
  const stored = createStackRecords({ client, namespace });
  const [onProblem, onKept] = [problemsTo(log, metrics), keptTo(() => queue)];
  const others = openSideQueues({ client, watchNamespaces, world: () => world, log, onKept, onProblem });
  const world = openWorld(client, config, {
    ...changesTo({ queue: () => queue, records: stored, history: others.history }),
    ...others.hooks,
    onAbsent: absentTo(log),
    onProblem,
  });
  const stacks = await prepareStacks(common, config, { log, metrics });
  const [databases, fleet] = [openDatabases(client, log), openFleet(config, () => queue)];
  const { signal } = stopping;
  const { previews, close: closePreviews } = openPreviews(access, config, { world, stacks, ending: signal });
  const { records, lastRevision, hooks } = withHistory(others.history, stored, hooksTo(log, metrics));
  const wiring = { world, records, databases, stacks, signal, log, metrics, fleet, previews, lastRevision };
  const { work, refresh: report } = createController(openPorts(client, config, wiring), hooks);
  const queue = openQueue({ concurrency, work: others.history.during(work), report, observer: metrics.queue });
  const webhooks = await serveWebhooks({ ...wiring, access, common, reader, client, term, config });
  const notReady = (): string | undefined => (world.synced ? webhooks.notReady() : "the first lists are incomplete");
  const probes = await serveProbes({ ...config, notReady, registry: metrics.registry });
  log.info({ health: probes.healthPort, metrics: probes.metricsPort }, "listening");
  await Promise.all([world.start(), others.prepare()]);
  log.info({ databases: world.keys().length, namespaces: namespacesText(config) }, "watching");
  others.start();
  term.begin({
    onLeading: (until) => {
      stacks.allowWritesUntil(until);
    },
    onElected: () => {
      queue.resume();
      others.resume();
      webhooks.lead();
    },
  });
  const stop = async (): Promise<void> => {
    const idle = queue.stop();
    stopping.abort();
    await Promise.all([idle, others.stop()]);
    await databases.settled();
    await term.end();
    await world.stop();
    await stacks.close();
    await webhooks.close().then(closePreviews);
    await Promise.all([probes, client, common, reader].map((one) => one.close()));
  };
  return { probes, lost: term.lost, stop };
}

const unknownVersionTo =
  (log: Logger) =>
  (cause: unknown): void => {
    log.warn({ err: cause, oldest: OLDEST_KUBERNETES }, "the API server does not report its version");
  };

const absentTo =
  (log: Logger) =>
  (namespace: string): void => {
    log.warn({ namespace }, "a watched namespace does not exist; it is watched as soon as it does");
  };

/** People wait for what they want to keep to be safe. */
const keptTo =
  (queue: () => KeyedQueue) =>
  (key: Key): void => {
    queue().add(key, { urgency: "person" });
  };

const openFleet = ({ restartsAtOnce: atOnce }: Config, queue: () => KeyedQueue): FleetMemory =>
  new FleetMemory({
    atOnce,
    wake: (key) => {
      queue().add(key);
    },
  });

/** Clears away what a dead operator left on this machine, and gets Pulumi ready. */
async function prepareStacks(
  client: KubeClient,
  config: Config,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): ReturnType<typeof openStacks> {
  const { namespace, workDirectory } = config;
  const swept = await sweepDirectories(workDirectory);
  if (swept > 0) log.warn({ directories: swept }, "leftovers of a dead operator removed");
  return openStacks({
    mode: config.pulumi,
    passphrase: await ensureStateKey({ client, namespace }),
    workDirectory,
    deadlineMs: config.runDeadlineSeconds * 1000,
    log,
    onProcess: (kind) => {
      metrics.processStarted(kind);
    },
  });
}

/** Of Databases; it works once this operator leads. */
const openQueue = (options: QueueOptions): KeyedQueue => new KeyedQueue({ ...options, paused: true });

/** The history hears of every record and of every turn. */
const withHistory = (
  { listening, lastRevision, turnEnded }: SideQueues["history"],
  stored: StackRecords,
  hooks: ControllerHooks,
): Pick<ReconcileWiring, "records" | "lastRevision"> & { readonly hooks: ControllerHooks } => ({
  records: listening(stored),
  lastRevision,
  hooks: {
    ...hooks,
    onOutcome: (key, outcome, seconds) => {
      hooks.onOutcome(key, outcome, seconds);
      turnEnded(key, outcome);
    },
  },
});

interface Changes {
  readonly queue: () => KeyedQueue;
  readonly records: ReturnType<typeof createStackRecords>;
  readonly history: Pick<SideQueues["history"], "childChanged">;
}

/** What a change in the cluster means for the queue. */
const changesTo = ({ queue, records, history }: Changes): Pick<WorldOptions, "onInput" | "onChild" | "onState"> => ({
  onInput: (key, urgency) => {
    queue().add(key, { urgency });
  },
  onChild: (key) => {
    queue().nudge(key, childrenSettleMs);
    history.childChanged(key);
  },
  onState: (key, version) => {
    if (records.noticed(key, version)) queue().add(key);
  },
});

type WorldHooks = Omit<WorldOptions, "client" | "namespace" | "watchNamespaces">;

const openWorld = (client: KubeClient, { namespace, watchNamespaces }: Config, hooks: WorldHooks): LiveWorld =>
  new LiveWorld({ client, namespace, watchNamespaces, ...hooks });

const namespacesText = ({ watchNamespaces }: Config): string =>
  watchNamespaces.length === 0 ? "all" : watchNamespaces.join(", ");

const openDatabases = (client: KubeClient, log: Logger): OwnWrites =>
  createDatabases(client, {
    reporter: fieldManager,
    now: () => new Date(),
    onLostEvent: (cause) => {
      log.warn({ err: cause }, "event not recorded");
    },
  });
