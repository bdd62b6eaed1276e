// How a member ends: the primary hands over first, so that clients wait only for a moment.
import { setTimeout as delay } from "node:timers/promises";
import { log, textOf } from "../log";
import { awaitedBeforeLeaving, isAllOfGroup } from "./ending";
import { successorIn } from "./hand-over";
import { ordinalOf, type MemberReport, type Membership, type ServerView } from "./observation";
import type { Performer } from "./perform";
import type { RecordSnapshot } from "./record";
import type { RecordStore } from "./record-store";
import { closeServer, handOver, leaveGroup, sealServer } from "./server/group";
import type { MemberSettings } from "./settings";

/** How long the successor may take to execute what it has received, and to write itself into the record, in milliseconds. */
const handOverMs = 60_000;
const recordedMs = 5_000;
/** How long a member waits for the others where all stop, and to learn whether they do, in milliseconds. */
const togetherMs = 30_000;
const heardMs = 2_000;

/** What is needed to end. */
export interface LeavingArgs {
  readonly settings: MemberSettings;
  /** Looks at its own server; others learn what was seen last. */
  readonly look: () => Promise<ServerView>;
  readonly peers: () => Promise<readonly MemberReport[]>;
  /** How many members the database is to have. */
  readonly wanted: number;
  readonly performer: Performer;
  readonly records: RecordStore;
}

/** Hands over and leaves the group. Failures are logged: the server ends in any case. */
export async function leaveInOrder(args: LeavingArgs): Promise<void> {
  const { performer } = args;
  const server = await args.look();
  if (server.kind === "down") return;
  const { membership } = server;
  try {
    if (membership.state === "ONLINE" && membership.role === "PRIMARY") await handOverFrom(args, membership);
    await performer.note({ role: undefined, state: "stopping" });
    const isLast = membership.state !== "OFFLINE" && (await leave(args)) === "last";
    // the others may lack what the last member has
    if (!isLast) await forgetWhereLeft(args);
  } catch (error) {
    log("leaving the group failed", { why: textOf(error) });
  }
}

async function leave(args: LeavingArgs): Promise<"last" | "others stay"> {
  const { settings, records, performer } = args;
  const membership = await untilOthersMayGo(args);
  const isAlone = membership?.members.length === 1;
  const seen = isAlone ? await records.read().catch(() => undefined) : undefined;
  await leaveGroup(performer.actor);
  if (membership === undefined || !isAlone) return "others stay";
  if (seen === undefined || !isAllOfGroup(settings.self, membership, seen.record)) return "last";
  // all writes are refused, whatever rights clients have: what it has now it has when it starts again
  await sealServer(performer.actor);
  await noteEnd(args, seen);
  return "last";
}

/** Waits for the others where all of them stop. Returns what this member sees of the group right before it leaves. */
async function untilOthersMayGo({ settings, performer, look, peers }: LeavingArgs): Promise<Membership | undefined> {
  const began = performance.now();
  // on a busy node an answer may come too late; a stopping member does not take it back
  const known = new Map<string, MemberReport>();
  let said = "";
  for (;;) {
    const [server, reports] = await Promise.all([look(), peers()]);
    if (server.kind === "down") return undefined;
    for (const report of reports) known.set(report.name, report);
    const passed = performance.now() - began;
    const awaited = awaitedBeforeLeaving(settings.self, server.membership, [...known.values()], passed < heardMs);
    if (awaited === undefined || passed > togetherMs) return server.membership;
    if (server.membership.role === "PRIMARY" && !server.offline) await closeServer(performer.actor);
    if (awaited !== said) log("waiting before leaving the group", { for: awaited });
    said = awaited;
    await delay(200);
  }
}

/** Where the record was changed meanwhile, nothing is noted: another member may be about to lead. */
async function noteEnd({ look, records }: LeavingArgs, seen: RecordSnapshot): Promise<void> {
  const server = await look();
  if (server.kind === "down" || server.membership.state !== "OFFLINE") return;
  const { transactions } = server;
  if ((await records.swap(seen, { ...seen.record, ended: { transactions } }, false)) === undefined) return;
  log("the group has ended, and this member has all of it", { transactions });
}

async function handOverFrom(args: LeavingArgs, membership: Membership): Promise<void> {
  const { settings, peers, wanted, performer } = args;
  const successor = successorIn(membership, settings.self, await peers(), wanted);
  if (successor === undefined) return;
  log("handing over", { to: successor.name });
  try {
    await handOver(performer.actor, successor.id, handOverMs);
  } catch (error) {
    log("handing over failed", { why: textOf(error) });
    return;
  }
  await performer.note({ role: undefined, state: "stopping" });
  // clients that are still connected would only get errors for their writes
  await closeServer(performer.actor);
  await untilRecorded(args);
}

/** While this member is still in the group no other group can form before the new primary is known. */
async function untilRecorded({ settings, records }: LeavingArgs): Promise<void> {
  const deadline = performance.now() + recordedMs;
  while (performance.now() < deadline) {
    const snapshot = await records.read().catch(() => undefined);
    if (snapshot !== undefined && snapshot.record.primary !== settings.self) return;
    await delay(200);
  }
}

/** A member that is no longer wanted leaves the record as well; where that fails the primary removes it. */
async function forgetWhereLeft({ settings, wanted, records }: LeavingArgs): Promise<void> {
  const { self } = settings;
  if (ordinalOf(self) < wanted) return;
  const snapshot = await records.read();
  const { record } = snapshot;
  if (!record.members.includes(self) || record.primary === self) return;
  await records.swap(snapshot, { ...record, members: record.members.filter((name) => name !== self) }, false);
}
