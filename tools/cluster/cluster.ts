// Starts clusters: a real control plane on this machine, with real or simulated nodes.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { provideTools, type ToolPaths } from "../build/build";
import { clustersDirectory } from "../directories";
import { isAlive, ownIdentity } from "../host/identity";
import { withLock } from "../host/lock";
import { freePorts } from "../host/ports";
import { type Progress, silent } from "../progress";
import { type KubernetesApi, openApi } from "./api";
import { openCertificates } from "./certificates";
import { controlPlaneTools, DEFAULT_SERVICE_CIDR, isReady, startControlPlane } from "./control-plane";
import { endCluster, endLocked, lockOf, placeOf } from "./end";
import { type Layout, layoutOf } from "./layout";
import { chooseNodes, type NodeChoice, type NodesArgs, poolOf } from "./nodes/choose";
import type { NodeKind, NodePlace, NodePool } from "./nodes/nodes";
import { correctPort, layData } from "./save";
import { type ClusterState, readState, writeState } from "./state";
import { startWatchdog, type Watchdog } from "./watchdog";

/** Which cluster to start. */
export interface StartOptions extends NodesArgs {
  /** Lower-case letters, digits and dashes, at most 40. Default: a unique name. */
  name?: string;
  /** Default `auto`: real nodes where they can run; a cluster that exists keeps the nodes it has. */
  nodes?: NodeChoice;
  /**
   * How long a new cluster lives. `parent`: it ends with this process, however that ends. `independent` (default): until
   * it is stopped; only while it starts does it end with this process.
   */
  life?: "parent" | "independent";
  /** Directory with what `saveCluster` kept: a new cluster starts with those objects. Default: with none. */
  from?: string;
  /** Directory of all clusters. Default: see directories.ts. */
  root?: string;
  /** Default: nothing is shown. */
  progress?: Progress;
  /** Gives up starting and removes what was created. */
  signal?: AbortSignal;
}

/** A running cluster. */
export interface Cluster {
  readonly name: string;
  readonly nodes: NodeKind;
  readonly directory: string;
  /** Path of cluster-admin's kubeconfig. */
  readonly kubeconfig: string;
  /** URL of the API server. */
  readonly apiServer: string;
  /** Path of the audit log: one JSON event a line. */
  readonly auditLog: string;
  /** True when it ran already and nothing had to be started. */
  readonly wasRunning: boolean;
  /** Ends the cluster and removes all that belongs to it. */
  stop(): Promise<void>;
}

/** Everything the steps of a start share. */
interface Start {
  layout: Layout;
  state: ClusterState;
  pool: NodePool;
  place: NodePlace;
  progress: Progress;
  signal?: AbortSignal;
}

/**
 * Starts a cluster and returns when its nodes are Ready. One that runs is left alone, one that runs in part is completed.
 * When starting a new one fails or is aborted, nothing of it remains; an old one keeps its data.
 */
export async function startCluster(options: StartOptions = {}): Promise<Cluster> {
  const name = checkedName(options.name ?? `c${process.pid}-${randomBytes(3).toString("hex")}`);
  const layout = layoutOf(join(options.root ?? clustersDirectory(), name));
  const { progress = silent, signal } = options;
  const onWait = ({ pid }: { pid: number }): void => {
    progress.line(`waiting for process ${pid}, which starts or ends cluster ${name}`);
  };
  return await withLock(lockOf(layout.directory), () => startLocked(layout, options), { onWait, signal });
}

async function startLocked(layout: Layout, options: StartOptions): Promise<Cluster> {
  const { progress = silent } = options;
  const known = await knownState(layout, progress);
  const nodes = await nodesFor(known, options, progress);
  const start = { layout, progress, signal: options.signal, pool: poolOf(nodes, options) };
  const place = placeOf(layout, progress);
  if (!known) return await startNew({ ...start, place }, options);
  const wasRunning = await runsCompletely(known, start.pool, place);
  if (!wasRunning) await complete({ ...start, place, state: known });
  return handleOf(known, { layout, progress, wasRunning });
}

/** Starts a cluster where there is none; it ends with this process until it is up, and after that if it is tied to it. */
async function startNew(start: Omit<Start, "state">, options: StartOptions): Promise<Cluster> {
  const { layout, progress, signal } = start;
  const watchdog = startWatchdog(layout.directory);
  try {
    const state = await newState(layout, start.pool.kind, options);
    if (options.from !== undefined) await layData(options.from, layout);
    await complete({ ...start, state });
    if (options.from !== undefined) await correctPort(layout.kubeconfig, state.apiServerPort);
    const running: ClusterState = { ...state, phase: "running" };
    await writeState(layout, running);
    if (options.life !== "parent") await watchdog.release();
    return handleOf(running, { layout, progress, watchdog, wasRunning: false });
  } catch (error) {
    const told = withLogs(error, start.place);
    await endLocked(layout.directory, progress).catch((left: unknown) => {
      throw new AggregateError(
        [told, left],
        `${messageOf(error)}\nwhat it left could not be removed: ${messageOf(left)}`,
      );
    });
    await watchdog.release();
    signal?.throwIfAborted();
    throw told;
  }
}

/** The error with the last lines of all processes, whose logs are about to be removed. */
function withLogs(error: unknown, { processes }: NodePlace): Error {
  const logs = processes.names().map((name) => `--- ${name}\n${processes.tail(name, 5)}`);
  return new Error([messageOf(error), ...logs].join("\n"), { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The state of a cluster that has once been complete; what a crash left of another is removed. */
async function knownState(layout: Layout, progress: Progress): Promise<ClusterState | undefined> {
  const state = await readState(layout);
  const orphaned = state?.parent !== undefined && !isAlive(state.parent);
  if (state?.phase === "running" && !orphaned) return state;
  if (existsSync(layout.directory)) await endLocked(layout.directory, progress);
  return undefined;
}

async function nodesFor(known: ClusterState | undefined, options: StartOptions, progress: Progress): Promise<NodeKind> {
  const { nodes = "auto" } = options;
  if (!known) return await chooseNodes(nodes, progress);
  if (nodes === "auto" || nodes === known.nodes) return known.nodes;
  throw new Error(`cluster ${known.name} has ${known.nodes} nodes; end it first: cluster down --name ${known.name}`);
}

async function newState(layout: Layout, nodes: NodeKind, options: StartOptions): Promise<ClusterState> {
  await mkdir(layout.nodes, { recursive: true, mode: 0o700 });
  const [apiServerPort, etcdPort] = await freePorts();
  const state: ClusterState = {
    name: placeOf(layout, silent).name,
    nodes,
    created: new Date().toISOString(),
    apiServerPort,
    etcdPort,
    phase: "starting",
    ...(options.life === "parent" && { parent: ownIdentity() }),
  };
  await writeState(layout, state);
  return state;
}

/** Starts everything that does not run. */
async function complete(at: Start): Promise<void> {
  const { layout, state, pool, place, progress, signal } = at;
  const options = await pool.controlPlaneOptions(place);
  const tools: ToolPaths = await provideTools([...controlPlaneTools, ...(options.tools ?? [])], { progress, signal });
  signal?.throwIfAborted();
  const certificates = await openCertificates({
    cluster: state.name,
    directory: layout.certificates,
    kubeconfigs: layout.kubeconfigs,
  });
  const { processes, log } = place;
  const api = await startControlPlane({ layout, state, options, certificates, processes, tools, progress, signal });
  const cluster = {
    ...{ ...place, tools, certificates, processes, api, log, signal },
    apiServer: apiServerOf(state),
    apiServerPort: state.apiServerPort,
    serviceCidr: options.serviceCidr ?? DEFAULT_SERVICE_CIDR,
  };
  await progress
    .step(`${pool.kind} nodes`, () => pool.start(cluster))
    .finally(() => {
      api.close();
    });
}

async function runsCompletely(state: ClusterState, pool: NodePool, place: NodePlace): Promise<boolean> {
  if (!controlPlaneTools.every((name) => place.processes.isRunning(name))) return false;
  if (!(await pool.isRunning(place))) return false;
  const api: KubernetesApi = await openApi(place.layout.kubeconfig);
  return await isReady(api).finally(() => {
    api.close();
  });
}

interface Handle {
  layout: Layout;
  progress: Progress;
  wasRunning: boolean;
  watchdog?: Watchdog;
}

function handleOf(state: ClusterState, { layout, progress, wasRunning, watchdog }: Handle): Cluster {
  return {
    name: state.name,
    nodes: state.nodes,
    directory: layout.directory,
    kubeconfig: layout.kubeconfig,
    apiServer: apiServerOf(state),
    auditLog: layout.auditLog,
    wasRunning,
    async stop() {
      await endCluster(layout.directory, progress);
      await watchdog?.release();
    },
  };
}

function apiServerOf(state: ClusterState): string {
  return `https://127.0.0.1:${state.apiServerPort}`;
}

function checkedName(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)) return name;
  throw new Error(`"${name}" cannot name a cluster: use lower-case letters, digits and dashes, at most 40`);
}
