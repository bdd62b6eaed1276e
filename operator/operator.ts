// Puts the operator together: watches feed the queue, the queue works with the controller, the controller runs stacks.
import type { KubeConfig } from "@kubernetes/client-node";
import type { Logger } from "pino";
import { fieldManager } from "../components/naming";

import type { Config } from "./config";
import { accessOf } from "./kube/access";
import { ClusterChildren } from "./kube/children";
import { isApiError, KubeClient } from "./kube/client";
import { createConfigSource } from "./kube/config-source";
import { createCredentials } from "./kube/credentials";
import { createDatabases } from "./kube/databases";
import { ensureStateKey } from "./kube/operator-secrets";
import { createLastLook } from "./kube/last-look";
import { createStackRecords } from "./kube/stack-records";
import { LiveWorld, type WorldOptions } from "./kube/world";
import { createMetrics, type Metrics } from "./metrics";
import { serveProbes, type Probes } from "./probes";
import { KeyedQueue } from "./queue";
import { createController } from "./reconcile/controller";
import type { Outcome } from "./reconcile/outcome";
import type { Key, Ports, RunNote, StackRecords } from "./ports";
import { createAutomationRunner } from "./stack/automation";
import { availableEngines, parameterProblems } from "./stack/engines";
import { stackNameOf, stackOf } from "./stack/names";
import { digestOf, programOf, secretsOf } from "./stack/program";
import { programVersion } from "./stack/program-version";
import { findPulumiCommand } from "./stack/pulumi-command";
import { sweepRunDirectories } from "./stack/run-directory";

export interface Operator {
  readonly probes: Probes;
  /** Ends watches, lets running reconciles finish their run gracefully, and resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** Starts the operator; resolves once the first lists are in. Rejects when something it cannot do without is missing. */
export async function startOperator(config: Config, kubeConfig: KubeConfig, log: Logger): Promise<Operator> {
  const client = new KubeClient(accessOf(kubeConfig), fieldManager);
  const stopping = new AbortController();
  const metrics = createMetrics(() => queue);
  const records = createStackRecords({ client, namespace: config.namespace }, stackOf);
  const world = openWorld(client, config, {
    onInput: (key) => {
      queue.add(key);
    },
    onChild: (key) => {
      // after a failure only a person's edit or the end of the pause brings the next attempt; the status goes on
      if (queue.attempts(key) === 0) queue.add(key);
      else if (!queue.isActive(key)) void controller.refresh(key);
    },
    onState: (key, version) => {
      if (records.noticed(key, version)) queue.add(key);
    },
    onProblem: (kind, cause) => {
      metrics.watchRestarted(kind);
      log.warn({ kind, err: cause, hint: hintFor(kind, cause) }, "watch interrupted");
    },
  });
  const ports = await openPorts(client, config, { world, records, signal: stopping.signal, log, metrics });
  const controller = createController(ports, {
    onError: (key, error) => {
      log.error({ database: key, err: error }, "reconcile failed unexpectedly");
    },
    onOutcome: (key, outcome, seconds) => {
      metrics.reconciled(outcome.kind, seconds);
      logOutcome(log, key, outcome, seconds);
    },
  });
  const queue = new KeyedQueue({ concurrency: config.workers, work: controller.work });
  const notReady = (): string | undefined => (world.synced ? undefined : "the first lists are not in yet");
  const probes = await serveProbes({ ...config, notReady, registry: metrics.registry });
  log.info({ health: probes.healthPort, metrics: probes.metricsPort }, "listening");
  await world.start();
  log.info({ databases: world.keys().length }, "watching");
  return {
    probes,
    async stop() {
      const idle = queue.stop();
      stopping.abort();
      await idle;
      await world.stop();
      await probes.close();
      await client.close();
    },
  };
}

type WorldHooks = Pick<WorldOptions, "onInput" | "onChild" | "onProblem" | "onState">;

const openWorld = (client: KubeClient, { namespace }: Config, hooks: WorldHooks): LiveWorld =>
  new LiveWorld({ client, namespace, ...hooks });

interface Surroundings {
  readonly world: LiveWorld;
  readonly records: StackRecords;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Everything that the reconcile needs, over the real API server and the real Pulumi CLI. */
async function openPorts(
  client: KubeClient,
  config: Config,
  { world, records, signal, log, metrics }: Surroundings,
): Promise<Ports> {
  const store = { client, namespace: config.namespace };
  const now = (): Date => new Date();
  return {
    world,
    databases: createDatabases(client, {
      reporter: fieldManager,
      now,
      onLostEvent: (cause) => {
        log.warn({ err: cause }, "event not recorded");
      },
    }),
    records,
    credentials: createCredentials(store, stackOf),
    children: new ClusterChildren(client),
    lastLook: createLastLook(client),
    configSource: createConfigSource(client),
    engines: { available: availableEngines, parameterProblems },
    stacks: await openStacks(config, await ensureStateKey(store), log),
    stackName: stackNameOf,
    digest: digestOf(programVersion()),
    now,
    signal,
    onRun: (run) => {
      metrics.ran(run.operation, run.result, run.seconds);
      logRun(log, run);
    },
  };
}

async function openStacks(config: Config, passphrase: string, log: Logger): Promise<Ports["stacks"]> {
  const command = await findPulumiCommand();
  const swept = await sweepRunDirectories(config.workDirectory);
  if (swept > 0) log.warn({ directories: swept }, "leftovers of a dead operator removed");
  return createAutomationRunner({
    command,
    passphrase,
    workDirectory: config.workDirectory,
    deadlineMs: config.runDeadlineSeconds * 1000,
    toPulumi: programOf,
    secretsOf,
  });
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
