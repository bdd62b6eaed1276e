// A member: observes, decides and acts, once a second, and reports its state.
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ask } from "../http/ask";
import type { KubernetesClient } from "../kubernetes/client";
import { readConfigMap } from "../kubernetes/config-map";
import { configMapPath } from "../kubernetes/paths";
import { PodNotes } from "../kubernetes/pod-notes";
import { log, textOf } from "../log";
import { exists } from "../disk";
import { cleanEnvironment } from "../supervise/run";
import { Supervisor, type Program } from "../supervise/supervisor";
import { roomOn, type Room } from "../volume/room";
import { volumeNotes, watchVolume } from "../volume/watch";
import { keepTelling } from "./archive-notes";
import { causeInLogs, keepRoom } from "./binary-logs";
import { Configuration, type Parameters } from "./configuration";
import { decide, type Action } from "./decide";
import { Events } from "./events";
import { NetworkAccounts } from "./network-accounts";
import { reportOf, type MemberReport, type Observation, type ServerView } from "./observation";
import { Performer } from "./perform";
import type { RecordSnapshot } from "./record";
import { RecordStore } from "./record-store";
import { RunningParameters } from "./running-parameters";
import { isTimeout, OwnServer } from "./server/connection";
import { discardFreshData, ensureDataDirectory, forgetFormerServer, isUnusedRestore } from "./server/data-directory";
import { filesOf, hostOf, isComplaint, restartCode, serverOptions } from "./server/options";
import { readServer } from "./server/view";
import type { MemberSettings } from "./settings";
import { maxMembers } from "../../contract/limits";
import { memberKey } from "../../contract/member";
import { Standstill } from "./standstill";
import { leaveInOrder } from "./stop";

const tickMs = 1_000;
/** How old what was read from the API may be while nothing happens. */
const freshMs = 5_000;
/** How old an observation of its own server may be for a report to others. */
const reportMs = 5_000;
const peerPatienceMs = 1_000;
const serverEnvironment = {
  // This tells the server that it will be started again.
  MYSQLD_PARENT_PID: String(process.pid),
  // Debian's server allocates with tcmalloc, which hardly returns any memory by itself.
  TCMALLOC_RELEASE_RATE: "10",
};

/** See the header. */
export class Member {
  readonly #settings: MemberSettings;
  readonly #client: KubernetesClient;
  readonly #observer: OwnServer;
  readonly #supervisor: Supervisor;
  readonly #performer: Performer;
  readonly #records: RecordStore;
  readonly #parameters: RunningParameters;
  readonly #logsServer: OwnServer;
  readonly #volumeServer: OwnServer;
  readonly #archiveServer: OwnServer;
  readonly #standstill = new Standstill();
  readonly #stopped = new AbortController();
  #wake = new AbortController();
  #configuration: Configuration | undefined;
  #configurationAt = -Infinity;
  #snapshotAt = -Infinity;
  #snapshot: RecordSnapshot | undefined;
  #server: ServerView = { kind: "down" };
  #observedAt = -Infinity;
  #settled = false;
  #said = "";

  constructor(settings: MemberSettings, client: KubernetesClient) {
    const { socket } = filesOf(settings);
    const own = { socket, password: settings.passwords.superuser };
    this.#settings = settings;
    this.#client = client;
    this.#observer = new OwnServer(own);
    this.#records = new RecordStore(client, configMapPath(settings.namespace, `${settings.database}-group`));
    this.#supervisor = new Supervisor(() => this.#program());
    const notes = new PodNotes(client, settings.namespace, settings.self);
    const actor = new OwnServer(own);
    const events = new Events({ server: new OwnServer(own), records: this.#records });
    const [records, supervisor] = [this.#records, this.#supervisor];
    const accounts = new NetworkAccounts({ server: new OwnServer(own), password: own.password });
    this.#performer = new Performer({ settings, actor, notes, records, supervisor, events, accounts });
    this.#logsServer = new OwnServer(own);
    this.#volumeServer = new OwnServer(own);
    this.#archiveServer = new OwnServer(own);
    this.#parameters = new RunningParameters(new OwnServer(own), settings.memory);
  }

  /** What other agents learn. */
  report(): MemberReport {
    const isRecent = performance.now() - this.#observedAt < reportMs;
    const server: ServerView = isRecent ? this.#server : { kind: "down" };
    const { failures } = this.#performer;
    const view = this.#snapshot?.record.view;
    const turn = { ...(failures > 0 && { failures }), ...(view !== undefined && { view }) };
    return { name: this.#settings.self, server, stopping: this.#stopped.signal.aborted, ...turn };
  }

  /** Whether clients may be sent here. */
  isReady(): boolean {
    const { server, stopping } = this.report();
    if (stopping || server.kind === "down" || server.offline) return false;
    return server.membership.state === "ONLINE" && server.membership.quorum;
  }

  /** Runs until `stop`, and resolves when the server has ended. */
  async run(): Promise<void> {
    this.#supervisor.start((error) => {
      log("the server cannot be started", { why: textOf(error) });
    });
    const room = (): Promise<Room> => roomOn(this.#settings.volume);
    void keepRoom({ server: this.#logsServer, room }, this.#stopped.signal);
    const { namespace, self } = this.#settings;
    // of a server that is down, or waits for room, nothing can be asked
    const cause = (present: Room): ReturnType<typeof causeInLogs> =>
      causeInLogs(this.#volumeServer, present).catch(() => undefined);
    void watchVolume({ room, cause, write: volumeNotes(this.#client, namespace, self) }, this.#stopped.signal);
    void this.#tellOfArchive();
    while (!this.#stopped.signal.aborted) {
      this.#wake = new AbortController();
      await this.#tick().catch((error: unknown) => {
        log("the member could not be observed", { why: textOf(error) });
      });
      await delay(tickMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    }
    await this.#end();
  }

  /** Hands over, leaves the group and ends the server. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    log("stopping");
    this.#stopped.abort();
    this.#wake.abort();
  }

  #tellOfArchive(): Promise<void> {
    const { namespace, self, database } = this.#settings;
    const isTelling = (): boolean => {
      const { server } = this.report();
      const isPrimary = server.kind === "up" && server.membership.role === "PRIMARY";
      return isPrimary && this.#configuration?.archived === true;
    };
    const args = { server: this.#archiveServer, client: this.#client, namespace, self, database, isTelling };
    return keepTelling(args, this.#stopped.signal);
  }

  async #tick(): Promise<void> {
    const seen = await this.#observe();
    const action = decide(seen);
    this.#say(action);
    if (seen.server.kind === "up" && this.#configuration !== undefined)
      await this.#parameters.follow(this.#parametersIn(this.#configuration));
    const { done, snapshot } = await this.#performer.perform(action, seen, this.#parameters.problem);
    if (snapshot !== undefined) this.#snapshot = snapshot;
    this.#settled = action.kind === "serve" && done;
    // look again at once after a change
    if (done && action.kind === "record") this.#wake.abort();
  }

  #say(action: Action): void {
    const said = "why" in action ? `${action.kind}: ${action.why}` : action.kind;
    if (said !== this.#said) log("decided", { action: said, ...("seeds" in action && { seeds: action.seeds }) });
    this.#said = said;
  }

  async #observe(): Promise<Observation> {
    const { self } = this.#settings;
    this.#server = await this.#look();
    this.#observedAt = performance.now();
    await Promise.all([this.#refreshConfiguration(), this.#refreshRecord()]);
    const wanted = this.#configuration?.replicas ?? maxMembers;
    const isOutside = this.#server.kind === "up" && this.#server.membership.state === "OFFLINE";
    return {
      self,
      wanted,
      superuserAccess: this.#configuration?.superuserAccess,
      snapshot: this.#snapshot,
      server: this.#server,
      restored: await isUnusedRestore(this.#settings),
      standing: this.#standstill.note(this.#server, wanted, this.#observedAt),
      peers: isOutside ? await this.#peers() : [],
      stopping: this.#stopped.signal.aborted,
      failures: this.#performer.failures,
    };
  }

  async #look(): Promise<ServerView> {
    const fresh = await exists(filesOf(this.#settings).fresh);
    try {
      return await readServer(this.#observer, fresh);
    } catch (error) {
      if (this.#server.kind === "up") log("the server does not answer", { why: textOf(error) });
      return { kind: "down", hangs: isTimeout(error), fresh };
    }
  }

  async #refreshConfiguration(): Promise<void> {
    if (performance.now() - this.#configurationAt < freshMs) return;
    try {
      const configuration = await this.readConfiguration();
      if (!isDeepStrictEqual(configuration, this.#configuration)) {
        const { replicas, superuserAccess } = configuration;
        log("the configuration was read", { replicas, superuserAccess });
      }
      this.#configuration = configuration;
      this.#configurationAt = performance.now();
    } catch (error) {
      log("the configuration cannot be read", { why: textOf(error) });
    }
  }

  /** The configuration as it is now. */
  async readConfiguration(): Promise<Configuration> {
    const { namespace, database } = this.#settings;
    const { data } = await readConfigMap(this.#client, configMapPath(namespace, `${database}-config`));
    return Configuration.parse(JSON.parse(data[memberKey] ?? "{}"));
  }

  async #refreshRecord(): Promise<void> {
    if (this.#settled && performance.now() - this.#snapshotAt < freshMs) return;
    this.#snapshotAt = performance.now();
    this.#snapshot = await this.#records.read().catch((error: unknown) => {
      log("the record of the group cannot be read", { why: textOf(error) });
      return undefined;
    });
  }

  /** What the others report: the recorded ones and the wanted ones. */
  async #peers(): Promise<MemberReport[]> {
    const { self, database, agentPort } = this.#settings;
    const wanted = Array.from({ length: this.#configuration?.replicas ?? 0 }, (_, ordinal) => `${database}-${ordinal}`);
    const names = new Set([...wanted, ...(this.#snapshot?.record.members ?? [])]);
    names.delete(self);
    const answers = await Promise.all(
      [...names].map(async (name) => {
        const answer = await ask(hostOf(this.#settings, name), agentPort, "/report", peerPatienceMs);
        return reportOf(name, answer);
      }),
    );
    return answers.filter((report) => report !== undefined);
  }

  /** What to start with: what is wanted now or, while that is unknown, what was wanted last. A member that never knew it waits. */
  async #configurationAtStart(): Promise<Configuration> {
    for (;;) {
      await this.#refreshConfiguration();
      if (this.#configuration !== undefined) return this.#configuration;
      await delay(tickMs, undefined, { signal: this.#stopped.signal });
    }
  }

  /** What came with the pod, overridden by what running members apply. */
  #parametersIn({ parameters }: Configuration): Parameters {
    return { ...this.#settings.startParameters, ...parameters };
  }

  async #program(): Promise<Program> {
    if (this.#supervisor.failures >= 3) await discardFreshData(this.#settings);
    const parameters = this.#parametersIn(await this.#configurationAtStart());
    await ensureDataDirectory(this.#settings);
    await forgetFormerServer(this.#settings);
    this.#parameters.started(parameters);
    return {
      command: "mysqld",
      args: serverOptions(this.#settings, parameters),
      environment: cleanEnvironment(serverEnvironment),
      restartCode,
      isComplaint,
    };
  }

  async #end(): Promise<void> {
    const configuration = await this.readConfiguration().catch(() => this.#configuration);
    await leaveInOrder({
      settings: this.#settings,
      look: async () => {
        this.#server = await this.#look();
        this.#observedAt = performance.now();
        return this.#server;
      },
      peers: () => this.#peers().catch(() => []),
      wanted: configuration?.replicas ?? maxMembers,
      performer: this.#performer,
      records: this.#records,
    });
    await this.#supervisor.stop();
    log("stopped");
  }
}
