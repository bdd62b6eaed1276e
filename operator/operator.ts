// Puts the operator together: watches feed the queue, the queue works with the controller, the controller runs stacks.
import type { KubeConfig } from "@kubernetes/client-node";
import type { Logger } from "pino";
import { fieldManager } from "../components/naming";

import { openWebhooks, type Webhooks } from "./admission/webhooks";
import type { Config } from "./config";
import { accessOf } from "./kube/access";
import { ClusterChildren } from "./kube/children";
import { isApiError, KubeClient } from "./kube/client";
import { createConfigSource } from "./kube/config-source";
import { createCredentials } from "./kube/credentials";
import { createDatabases, type OwnWrites } from "./kube/databases";
import { ensureStateKey } from "./kube/operator-secrets";
import { createLastLook } from "./kube/last-look";
import { createStackRecords } from "./kube/stack-records";
import { createVolumes } from "./kube/volumes";
import { LiveWorld, type WorldOptions } from "./kube/world";
import { keep } from "./kept-checkpoint";
import { openCompanions } from "./open-companions";
import { createMetrics, type Metrics } from "./metrics/metrics";
import { operatorVersion } from "./metrics/version";
import { serveProbes, type Probes } from "./probes";
import { KeyedQueue } from "./queue";
import { createController, type ControllerHooks } from "./reconcile/controller";
import type { Outcome } from "./reconcile/outcome";
import { openTerm, type Term } from "./leadership/term";
import type { Databases, Key, Ports, RunNote, StackRecords } from "./ports";
import { sweepDirectories } from "./stack/directories";
import { availableEngines, parameterProblems } from "./stack/engines";
import { stackNameOf, stackOf } from "./stack/names";
import { openStacks } from "./stack/open";
import { digestOf } from "./stack/program";
import { programVersion } from "./stack/program-version";

/** Children move in company: they are looked at once for all that happen within this time, in milliseconds. */
const childrenSettleMs = 50;

/** Turns without a run under way at the same time: they wait for the API server only. */
const looksAtOnce = 16;

const build = { version: operatorVersion, program: programVersion() };

export interface Operator {
  readonly probes: Probes;
  /** Resolves with why once another one leads, or may: nothing may be written from then on, and this one cannot go on. */
  readonly lost: Promise<string>;
  /** Ends watches, lets running reconciles finish their run gracefully, and resolves when nothing is under way. */
  stop(): Promise<void>;
}

/**
 * Starts the operator; resolves once the first lists are in and it leads, or stands by. Rejects when something it cannot do
 * without is missing.
 */
export async function startOperator(config: Config, kubeConfig: KubeConfig, log: Logger): Promise<Operator> {
  const access = accessOf(kubeConfig);
  // for what every operator does, whether it leads or not
  const common = new KubeClient(access, fieldManager);
  const term = openTerm(common, config, log);
  const client = new KubeClient(access, fieldManager, () => term.isLeading);
  const stopping = new AbortController();
  const concurrency = { look: looksAtOnce, run: config.workers };
  const metrics = createMetrics({
    ...{ queue: () => queue, mostWorkers: concurrency.look + concurrency.run, build },
    ...{ isLeading: () => term.isLeading, databases: () => world.all() },
  });
  const records = createStackRecords({ client, namespace: config.namespace }, stackOf);
  const onProblem = problemsTo(log, metrics);
  const companions = openCompanions({
    client,
    watchNamespaces: config.watchNamespaces,
    world: () => world,
    log,
    onProblem,
  });
  const world = openWorld(client, config, {
    onInput: (key, urgency) => {
      queue.add(key, { urgency });
    },
    onChild: (key) => {
      // after a failure only a person's edit or the end of the pause brings the next attempt; the status goes on
      if (queue.attempts(key) === 0) queue.add(key, { delayMs: childrenSettleMs });
      else if (!queue.isActive(key)) void controller.refresh(key);
    },
    onState: (key, version) => {
      if (records.noticed(key, version)) queue.add(key);
    },
    onDatabase: companions.databaseChanged,
    onCatalogue: companions.catalogueChanged,
    onAbsent: (namespace) => {
      log.warn({ namespace }, "a watched namespace does not exist; it is looked at as soon as it does");
    },
    onProblem,
  });
  const stacks = await prepareStacks(common, config, { log, metrics });
  const databases = openDatabases(client, log);
  const surroundings = { world, records, databases, stacks, signal: stopping.signal, log, metrics };
  const controller = createController(openPorts(client, config, surroundings), hooksTo(log, metrics));
  const queue = new KeyedQueue({ concurrency, work: controller.work, paused: true, observer: metrics.queue });
  const webhooks = await serveReviews({ common, client, term, world, config, log });
  const notReady = (): string | undefined => (world.synced ? webhooks.notReady() : "the first lists are not in yet");
  const probes = await serveProbes({ ...config, notReady, registry: metrics.registry });
  log.info({ health: probes.healthPort, metrics: probes.metricsPort }, "listening");
  await world.start();
  log.info({ databases: world.keys().length, namespaces: namespacesText(config) }, "watching");
  companions.start();
  term.begin({
    onLeading: (until) => {
      stacks.allowWritesUntil(until);
    },
    onElected: () => {
      queue.resume();
      companions.resume();
      webhooks.lead();
    },
  });
  const stop = async (): Promise<void> => {
    const idle = queue.stop();
    stopping.abort();
    await Promise.all([idle, companions.stop()]);
    await databases.settled();
    await term.end();
    await world.stop();
    await stacks.close();
    await webhooks.close();
    await probes.close();
    await Promise.all([client.close(), common.close()]);
  };
  return { probes, lost: term.lost, stop };
}

/** Clears away what a dead operator left on this machine, and gets Pulumi ready. */
async function prepareStacks(
  client: KubeClient,
  config: Config,
  { log, metrics }: Pick<Surroundings, "log" | "metrics">,
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

const problemsTo =
  (log: Logger, metrics: Metrics): WorldOptions["onProblem"] =>
  (kind, cause) => {
    metrics.watchRestarted(kind);
    log.warn({ kind, err: cause, hint: hintFor(kind, cause) }, "watch interrupted");
  };
interface Reviewing {
  readonly common: KubeClient;
  readonly client: KubeClient;
  readonly term: Term;
  readonly world: LiveWorld;
  readonly config: Config;
  readonly log: Logger;
}

/** The webhooks, which every operator serves, whether it leads or not. */
function serveReviews({ common, client, term, world, config, log }: Reviewing): Promise<Webhooks> {
  return openWebhooks({
    port: config.webhookPort,
    namespace: config.namespace,
    common,
    client,
    isLeading: () => term.isLeading,
    surroundings: {
      catalogue: () => (world.synced ? world.catalogue : undefined),
      engines: { available: availableEngines, parameterProblems },
      configSource: createConfigSource(common),
      volumes: createVolumes(common),
    },
    log,
  });
}

const hooksTo = (log: Logger, metrics: Metrics): ControllerHooks => ({
  onError: (key, error) => {
    log.error({ database: key, err: error }, "reconcile failed unexpectedly");
  },
  onOutcome: (key, outcome, seconds) => {
    metrics.reconciled(key, outcome, seconds);
    logOutcome(log, key, outcome, seconds);
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

interface Surroundings {
  readonly world: LiveWorld;
  readonly records: StackRecords;
  readonly databases: Databases;
  readonly stacks: Ports["stacks"];
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Everything that the reconcile needs, over the real API server and the real Pulumi. */
function openPorts(
  client: KubeClient,
  config: Config,
  { world, records, databases, stacks, signal, log, metrics }: Surroundings,
): Ports {
  const store = { client, namespace: config.namespace };
  return {
    world,
    databases,
    records,
    credentials: createCredentials(store, stackOf),
    children: new ClusterChildren(client),
    lastLook: createLastLook(client),
    configSource: createConfigSource(client),
    engines: { available: availableEngines, parameterProblems },
    stacks,
    stackName: stackNameOf,
    keep,
    digest: digestOf(build.program),
    now: () => new Date(),
    signal,
    onRun: (run) => {
      metrics.ran(run);
      logRun(log, run);
    },
    onDrift: (note) => {
      metrics.drifted(note);
    },
  };
}

/** What a person can do about it; undefined where waiting is enough. */
function hintFor(kind: string, cause: unknown): string | undefined {
  const missing = kind === "databases" && isApiError(cause, 404);
  return missing ? "the custom resource is not installed: run `pulumi up` or `make install`" : undefined;
}

function logRun(log: Logger, { key, operation, result, seconds, message }: RunNote): void {
  const fields = { database: key, operation, seconds: Math.round(seconds * 1000) / 1000, message };
  if (result === "succeeded") log.info(fields, "stack run succeeded");
  else log.warn({ ...fields, result }, "stack run did not succeed");
}

function logOutcome(log: Logger, key: Key, outcome: Outcome, seconds: number): void {
  const isTold = outcome.kind === "gone" && outcome.message !== undefined;
  const level = outcome.kind === "failed" || outcome.kind === "stalled" || isTold ? "warn" : "debug";
  log[level]({ database: key, ...outcome, outcome: outcome.kind, kind: undefined, seconds }, "reconciled");
}
