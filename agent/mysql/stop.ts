// How a member ends: the primary hands over first, so that clients wait for a moment only.
import { setTimeout as delay } from "node:timers/promises";
import { log, textOf } from "../log";
import { successorIn } from "./hand-over";
import { ordinalOf, type MemberReport, type Membership, type ServerView } from "./observation";
import type { Performer } from "./perform";
import type { RecordStore } from "./record-store";
import { closeServer, handOver, leaveGroup } from "./server/group";
import type { MemberSettings } from "./settings";

/** How long the successor may take to execute what it has received, and to write itself into the record, in milliseconds. */
const handOverMs = 60_000;
const recordedMs = 5_000;

/** What is needed to end. */
export interface LeavingArgs {
  readonly settings: MemberSettings;
  readonly server: ServerView;
  readonly peers: readonly MemberReport[];
  /** How many members the database is to have. */
  readonly wanted: number;
  readonly performer: Performer;
  readonly records: RecordStore;
}

/** Hands over and leaves the group. Failures are logged: the server ends in any case. */
export async function leaveInOrder(args: LeavingArgs): Promise<void> {
  const { server, performer } = args;
  if (server.kind === "down") return;
  const { membership } = server;
  try {
    if (membership.state === "ONLINE" && membership.role === "PRIMARY") await handOverFrom(args, membership);
    await performer.note({ role: undefined, state: "stopping" });
    if (membership.state !== "OFFLINE") await leaveGroup(performer.actor);
    await forgetWhereLeft(args);
  } catch (error) {
    log("leaving the group failed", { why: textOf(error) });
  }
}

async function handOverFrom(args: LeavingArgs, membership: Membership): Promise<void> {
  const { settings, peers, wanted, performer } = args;
  const successor = successorIn(membership, settings.self, peers, wanted);
  if (successor === undefined) return;
  log("handing over", { to: successor.name });
  try {
    await handOver(performer.actor, successor.id, handOverMs);
  } catch (error) {
    log("handing over failed", { why: textOf(error) });
    return;
  }
  await performer.note({ role: undefined, state: "stopping" });
  // who is still connected would only be told that nothing can be written here
  await closeServer(performer.actor);
  await untilRecorded(args);
}

/** While this member is still in the group no other group can come to be before the new primary is known. */
async function untilRecorded({ settings, records }: LeavingArgs): Promise<void> {
  const deadline = performance.now() + recordedMs;
  while (performance.now() < deadline) {
    const snapshot = await records.read().catch(() => undefined);
    if (snapshot !== undefined && snapshot.record.primary !== settings.self) return;
    await delay(200);
  }
}

/** A member that the database does not want any more leaves the record as well; where that fails the primary does it. */
async function forgetWhereLeft({ settings, wanted, records }: LeavingArgs): Promise<void> {
  const { self } = settings;
  if (ordinalOf(self) < wanted) return;
  const snapshot = await records.read();
  const { record } = snapshot;
  if (!record.members.includes(self) || record.primary === self) return;
  await records.swap(snapshot, { ...record, members: record.members.filter((name) => name !== self) }, false);
}
