// Carries out decisions: statements on its own server, changes of the record, and notes on the pod.
import { randomUUID } from "node:crypto";
import { ApiError } from "../kubernetes/client";
import type { Notes, PodNotes } from "../kubernetes/pod-notes";
import { log, textOf } from "../log";
import type { Supervisor } from "../supervise/supervisor";
import type { Action } from "./decide";
import { takesWrites } from "./disk";
import type { Events } from "./events";
import type { NetworkAccounts } from "./network-accounts";
import type { Observation } from "./observation";
import type { GroupRecord, RecordSnapshot } from "./record";
import type { RecordStore } from "./record-store";
import type { OwnServer } from "./server/connection";
import { markUsed } from "./server/data-directory";
import { bootstrapGroup, hurrySuspicions, joinGroup, leaveGroup, openServer } from "./server/group";
import type { MemberSettings } from "./settings";

/** In milliseconds: where a volume takes longer for a few bytes, the server waits for it. */
const diskPatienceMs = 2_000;

/** What it acts on. */
export interface PerformerArgs {
  readonly settings: MemberSettings;
  readonly actor: OwnServer;
  readonly notes: PodNotes;
  readonly records: RecordStore;
  readonly supervisor: Supervisor;
  readonly events: Events;
  readonly accounts: NetworkAccounts;
}

/** The result. `snapshot`: the record after it, where it was changed. */
export interface Performed {
  readonly done: boolean;
  readonly snapshot?: RecordSnapshot;
}

/** See the header. */
export class Performer {
  readonly #args: PerformerArgs;
  /** What takes long and is in progress. */
  #busy: Promise<void> | undefined;
  #problem: string | undefined;
  #failures = 0;
  /** A previous primary that may still have the label of one. */
  #former: string | undefined;

  constructor(args: PerformerArgs) {
    this.#args = args;
  }

  /** How many attempts to enter a group, or to leave it, have failed since it served last. */
  get failures(): number {
    return this.#failures;
  }

  /** The connection for statements that change something. */
  get actor(): OwnServer {
    return this.#args.actor;
  }

  /** Does it, or begins it where it takes long. `hint` is more for people to know. */
  async perform(action: Action, seen: Observation, hint: string | undefined): Promise<Performed> {
    if (action.kind === "serve") return this.#serve(action.role, seen, hint);
    await this.#noteBeforehand(action, seen);
    if (this.#busy !== undefined) return { done: false };
    switch (action.kind) {
      case "wait":
      case "person":
        return { done: false };
      case "record":
        return this.#record(action.record, seen);
      case "bootstrap":
        return this.#bootstrap(action.record, seen);
      case "join":
        this.#begin("joining the group", () => this.#join(action, seen));
        return { done: true };
      case "restart":
        return this.#restart(action.why);
      case "leave":
        this.#begin("leaving the group", () => leaveGroup(this.actor));
        return { done: true };
    }
  }

  /** Writes it on the pod, as far as the Kubernetes API allows. */
  async note(notes: Notes): Promise<void> {
    await this.#args.notes.write(notes).catch((error: unknown) => {
      log("the pod's label cannot be written", { why: textOf(error) });
    });
  }

  /** A member that serves, and could not read the record for a moment, keeps its current label. */
  async #noteBeforehand(action: Action, seen: Observation): Promise<void> {
    if (seen.snapshot !== undefined || !isServing(seen)) await this.note(this.#notesFor(action, seen));
  }

  #notesFor(action: Action, seen: Observation): Notes {
    const { role } = seen.server.kind === "up" && isServing(seen) ? roleOf(seen) : { role: undefined };
    if (seen.server.kind === "down") return this.#downNotes();
    const why = "why" in action ? action.why : undefined;
    const message = this.#problem ?? why;
    const state = role !== undefined ? "running" : action.kind === "person" ? "undecided" : "starting";
    return { role, state, ...(message !== undefined && { message }) };
  }

  #downNotes(): Notes {
    const { failures, complaint } = this.#args.supervisor;
    if (failures < 2) return { role: undefined, state: "starting" };
    return { role: undefined, state: "start failed", ...(complaint !== undefined && { message: complaint }) };
  }

  async #restart(why: string): Promise<Performed> {
    const { settings, supervisor } = this.#args;
    if (!(await takesWrites(settings.volume, diskPatienceMs))) {
      log("the server waits for its volume, and is not started again");
      return { done: false };
    }
    log("the server is started again", { why });
    supervisor.kill();
    return { done: true };
  }

  async #serve(role: "primary" | "replica", seen: Observation, hint: string | undefined): Promise<Performed> {
    const { supervisor } = this.#args;
    this.#problem = undefined;
    this.#failures = 0;
    await this.#countData(seen);
    if (seen.server.kind === "up" && seen.server.offline) await openServer(this.actor);
    supervisor.works();
    await this.#hurry(seen);
    if (role === "primary") await this.#depose();
    const message = hint ?? this.#args.events.problem;
    await this.note({ role, state: "running", ...(message !== undefined && { message }) });
    await this.#followAccounts(role, seen);
    const snapshot = await this.#followEvents(role, seen);
    return { done: true, ...(snapshot !== undefined && { snapshot }) };
  }

  async #followAccounts(role: "primary" | "replica", { superuserAccess }: Observation): Promise<void> {
    const { accounts } = this.#args;
    if (role === "primary") await accounts.asPrimary(superuserAccess);
    else accounts.asReplica();
  }

  async #followEvents(role: "primary" | "replica", { snapshot }: Observation): Promise<RecordSnapshot | undefined> {
    const { events } = this.#args;
    if (role === "primary" && snapshot !== undefined) return events.asPrimary(snapshot);
    events.asReplica();
    return undefined;
  }

  async #hurry({ server }: Observation): Promise<void> {
    if (server.kind === "down" || server.membership.members.every(({ state }) => state !== "UNREACHABLE")) return;
    await hurrySuspicions(this.actor).catch((error: unknown) => {
      log("the group's suspicions cannot be hurried", { why: textOf(error) });
    });
  }

  async #depose(): Promise<void> {
    if (this.#former === undefined) return;
    try {
      await this.#args.notes.depose(this.#former);
    } catch (error) {
      // a deleted pod needs no other label
      if (!(error instanceof ApiError && error.status === 404)) return;
    }
    this.#former = undefined;
  }

  /** After an outage only members whose data counts are counted: they have received all that the others had. */
  async #countData({ server, restored = false }: Observation): Promise<void> {
    if (server.kind === "up" && (server.fresh || restored) && server.membership.state === "ONLINE") {
      await markUsed(this.#args.settings);
    }
  }

  async #record(record: GroupRecord, seen: Observation): Promise<Performed> {
    const { snapshot, self } = seen;
    if (snapshot === undefined) return { done: false };
    await this.#countData(seen);
    const former = snapshot.record.primary;
    const isDecided = snapshot.decision !== undefined && record.primary === self;
    const swapped = await this.#args.records.swap(snapshot, record, isDecided);
    if (swapped === undefined) return { done: false };
    log("the record of the group was changed", { record });
    if (record.primary === self && former !== undefined && former !== self) this.#former = former;
    return { done: true, snapshot: swapped };
  }

  async #bootstrap(claim: GroupRecord, seen: Observation): Promise<Performed> {
    if (seen.snapshot === undefined) return { done: false };
    const group = claim.group ?? randomUUID();
    const snapshot = await this.#args.records.swap(seen.snapshot, { ...claim, group }, false);
    if (snapshot === undefined) return { done: false };
    log("bootstrapping the group", { group });
    this.#begin("bootstrapping the group", () => bootstrapGroup(this.actor, this.#args.settings, group));
    return { done: true, snapshot };
  }

  async #join({ seeds, clone }: Extract<Action, { kind: "join" }>, { snapshot }: Observation): Promise<void> {
    const group = snapshot?.record.group;
    if (group === undefined) throw new Error("the record does not say which group to join");
    await joinGroup(this.actor, this.#args.settings, { group, seeds, clone });
  }

  #begin(what: string, work: () => Promise<void>): void {
    this.#busy = work()
      .then(() => {
        log("done", { what });
      })
      .catch((error: unknown) => {
        const { complaint } = this.#args.supervisor;
        this.#failures++;
        this.#problem = [`${what} failed: ${textOf(error)}`, ...(complaint === undefined ? [] : [complaint])].join(
          "; ",
        );
        log("failed", { what, why: textOf(error) });
        this.actor.close();
      })
      .finally(() => {
        this.#busy = undefined;
      });
  }
}

/** Whether it serves clients although nothing new can be decided: while the Kubernetes API is down, or the record is being written. */
function isServing({ server }: Observation): boolean {
  return server.kind === "up" && !server.offline && server.membership.state === "ONLINE" && server.membership.quorum;
}

/** A primary gets its label only once it is recorded. */
function roleOf({ server, snapshot, self }: Observation): { role: Notes["role"] } {
  if (server.kind === "down") return { role: undefined };
  if (server.membership.role !== "PRIMARY") return { role: "replica" };
  return { role: snapshot?.record.primary === self ? "primary" : undefined };
}
