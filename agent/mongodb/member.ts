// A member: observes, decides and acts, once a second, and writes its state on its pod.
import { setTimeout as delay } from "node:timers/promises";
import type { KubernetesClient } from "../kubernetes/client";
import { PodNotes, type Notes } from "../kubernetes/pod-notes";
import { log, textOf } from "../log";
import { Supervisor, type Program } from "../supervise/supervisor";
import { roomOn } from "../volume/room";
import { volumeNotes, watchVolume } from "../volume/watch";
import { act } from "./act";
import { KubernetesCluster } from "./cluster";
import { votersOf } from "./configuration";
import { DriverServers } from "./connection";
import type { Action } from "./action";
import { decide } from "./decide";
import { layOut, volumeOf } from "./files";
import { observe } from "./observe";
import type { Observation, ServerState } from "./observation";
import type { Member as Ports } from "./ports";
import { RunningParameters } from "./running-parameters";
import { programOf } from "./server-options";
import { hostOf, type MemberSettings } from "./settings";
import { leaveInOrder } from "./stop";
import type { Wanted } from "./wanted";

const tickMs = 1_000;
/** How old what was read from the Kubernetes API may be. */
const freshMs = 5_000;
/** How old an observation may be for the member to count as ready. */
const recentMs = 10_000;

/** The role of a member by the state of its server; undefined where no Service may select it. */
export function roleOf({ kind }: ServerState): Notes["role"] {
  if (kind === "primary" || kind === "standalone") return "primary";
  return kind === "secondary" ? "replica" : undefined;
}

/** Whether a secondary has a member to receive writes from; undefined for any other server. */
export const streamingOf = (server: ServerState): boolean | undefined =>
  server.kind === "secondary" ? server.primary !== undefined : undefined;

/** See the header. */
export class Member {
  readonly #settings: MemberSettings;
  readonly #cluster: KubernetesCluster;
  readonly #notes: PodNotes;
  readonly #client: KubernetesClient;
  readonly #supervisor: Supervisor;
  readonly #servers: DriverServers;
  readonly #ports: Ports;
  readonly #parameters: RunningParameters;
  readonly #stopped = new AbortController();
  #wanted: Wanted | undefined;
  #wantedAt = -Infinity;
  #server: ServerState = { kind: "unreachable" };
  #seenAt = -Infinity;
  #deposed = false;
  /** Of the last action. */
  #failure: string | undefined;
  #said = "";

  constructor(settings: MemberSettings, client: KubernetesClient) {
    this.#settings = settings;
    this.#client = client;
    this.#cluster = new KubernetesCluster(client, settings);
    this.#notes = new PodNotes(client, settings.namespace, settings.self);
    this.#supervisor = new Supervisor(() => this.#program());
    const own = settings.server === "mongod" ? `127.0.0.1:${settings.serverPort}` : hostOf(settings, settings.ordinal);
    this.#servers = new DriverServers({ address: own, password: settings.administratorPassword });
    this.#parameters = new RunningParameters(this.#servers);
    this.#ports = {
      identity: {
        ordinal: settings.ordinal,
        setName: settings.database,
        hostOf: (ordinal) => hostOf(settings, ordinal),
      },
      servers: this.#servers,
      cluster: {
        pods: () => this.#cluster.pods(),
        record: () => this.#cluster.record(),
        claim: (version, token) => this.#cluster.claim(version, token),
        wanted: async () => (await this.#configuration()).replicas,
      },
      volume: volumeOf(settings),
      administratorPassword: settings.administratorPassword,
    };
  }

  /** The member's own server, for its statistics. */
  get servers(): DriverServers {
    return this.#servers;
  }

  /** Whether clients may be sent here. */
  isReady(): boolean {
    const isRecent = performance.now() - this.#seenAt < recentMs;
    return !this.#stopped.signal.aborted && isRecent && roleOf(this.#server) !== undefined;
  }

  /** What other agents learn. */
  report(): unknown {
    return { name: this.#settings.self, server: this.#server, stopping: this.#stopped.signal.aborted };
  }

  /** Runs until `stop`, and resolves when the server has ended. */
  async run(): Promise<void> {
    this.#supervisor.start((error) => {
      log("the server cannot be started", { why: textOf(error) });
    });
    this.#watchVolume();
    while (!this.#stopped.signal.aborted) {
      await this.#tick().catch((error: unknown) => {
        log("the member could not be observed", { why: textOf(error) });
      });
      await delay(tickMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
    await this.#end();
  }

  #watchVolume(): void {
    const { namespace, self, volume } = this.#settings;
    const args = {
      room: () => roomOn(volume),
      cause: () => Promise.resolve(undefined),
      write: volumeNotes(this.#client, namespace, self),
    };
    void watchVolume(args, this.#stopped.signal);
  }

  /** Hands over and ends the server. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    log("stopping");
    this.#stopped.abort();
  }

  async #tick(): Promise<void> {
    const seen = await observe(this.#ports);
    this.#server = seen.server;
    this.#seenAt = performance.now();
    if (roleOf(seen.server) !== undefined) this.#supervisor.works();
    const action = decide(seen);
    this.#say(action);
    await this.#note(seen, action);
    this.#failure = await act(action, this.#ports).then(
      () => undefined,
      (error: unknown) => {
        log("an action failed", { action: action.kind, why: textOf(error) });
        return textOf(error);
      },
    );
    if (this.#settings.server === "mongod" && roleOf(seen.server) !== undefined) {
      await this.#parameters.follow((await this.#configuration()).parameters);
    }
  }

  #say(action: Action): void {
    const said = "why" in action ? `${action.kind}: ${action.why}` : action.kind;
    if (said !== this.#said) log("decided", { action: said, ...("change" in action && { change: action.change }) });
    this.#said = said;
  }

  /** The Kubernetes API may be down: then the pod keeps its notes, and the server keeps running. */
  async #note({ server }: Observation, action: Action): Promise<void> {
    const role = roleOf(server);
    const state = this.#stateOf(role, action);
    const waiting = "why" in action ? action.why : this.#failure;
    const message = {
      running: this.#parameters.problem,
      starting: waiting,
      undecided: waiting,
      "start failed": this.#supervisor.complaint ?? waiting,
    }[state];
    try {
      const streaming = streamingOf(server);
      await this.#notes.write({
        ...{ role, state },
        ...(streaming !== undefined && { streaming }),
        ...(message !== undefined && { message }),
      });
      await this.#depose(role);
    } catch (error) {
      log("the pod's notes cannot be written", { why: textOf(error) });
    }
  }

  #stateOf(role: Notes["role"], action: Action): "running" | "starting" | "undecided" | "start failed" {
    if (action.kind === "person") return "undecided";
    if (role !== undefined) return "running";
    return this.#supervisor.failures > 2 ? "start failed" : "starting";
  }

  /** A frozen primary cannot remove its own label, and the Service would keep selecting it. */
  async #depose(role: Notes["role"]): Promise<void> {
    if (role !== "primary") this.#deposed = false;
    if (role !== "primary" || this.#deposed) return;
    const others = (await this.#cluster.pods()).filter(({ ordinal }) => ordinal !== this.#settings.ordinal);
    for (const pod of others.filter((other) => other.role === role)) await this.#notes.depose(pod.name);
    this.#deposed = true;
  }

  async #configuration(): Promise<Wanted> {
    if (this.#wanted !== undefined && performance.now() - this.#wantedAt < freshMs) return this.#wanted;
    this.#wanted = await this.#cluster.configuration();
    this.#wantedAt = performance.now();
    return this.#wanted;
  }

  /** What to start with: what is wanted now or, while that is unknown, what was wanted last. A member that never knew it waits. */
  async #wantedAtStart(): Promise<Wanted> {
    for (;;) {
      const wanted = await this.#configuration().catch((error: unknown) => {
        log("the configuration cannot be read", { why: textOf(error) });
        return this.#wanted;
      });
      if (wanted !== undefined) return wanted;
      await delay(tickMs, undefined, { signal: this.#stopped.signal });
    }
  }

  async #program(): Promise<Program> {
    const { parameters } = await this.#wantedAtStart();
    // what came with the pod; an older operator sends it with the rest
    await layOut(this.#settings, { ...parameters, ...this.#settings.startParameters });
    this.#parameters.started();
    return programOf(this.#settings);
  }

  async #end(): Promise<void> {
    const seen = await observe(this.#ports).catch(() => undefined);
    const wanted = await this.#cluster.configuration().catch(() => this.#wanted);
    await this.#notes.write({ role: undefined, state: "stopping" }).catch((error: unknown) => {
      log("the pod's notes cannot be written", { why: textOf(error) });
    });
    await leaveInOrder({
      servers: this.#servers,
      leads: seen?.server.kind === "primary",
      alone: seen?.set !== undefined && votersOf(seen.set.configuration).length === 1,
      stays: wanted === undefined || this.#settings.ordinal < wanted.replicas,
      step: async () => {
        await act(decide(await observe(this.#ports)), this.#ports);
      },
    });
    await this.#supervisor.stop();
    await this.#servers.close();
    log("stopped");
  }
}
