// How a member hands over before it is stopped.
//
// Patroni stops the server in order, gives the lease to a replica that has everything, and starts the server again as a replica: clients notice
// a gap of about two seconds, whatever the server still has to write. In synchronous mode only a synchronous replica takes over. Without any
// that may, without the Kubernetes API, or after the deadline, the member is simply stopped, which is safe, too: this never fails and never takes
// longer than its deadline.
//
// Where commits wait for replicas, no member goes before Patroni counts on all replicas that run: one that has just come back is not asked to
// confirm for some seconds, and until then commits may wait for the very member that goes.
import { textOf } from "../../log";
import type { Log } from "../log";
import type { PatroniClient } from "../patroni/client";
import { afterRefusal, replicaAddresses, replicaMs, uncountedAmong, waitsForReplicas } from "./decide";

/** Patroni answers within milliseconds where it is alive; one that is frozen must not use up the time to kill it in. */
const roleMs = 1_000;
/** Clients are served until the server's checkpoint is done, so waiting for it costs them nothing. */
const deadlineMs = 120_000;
const pauseMs = 1_000;
/** Patroni's loop, twice. */
const quorumMs = 12_000;
/**
 * Where a whole database is deleted, all members are told so at once: after this time the replicas no longer answer, and the primary need not
 * look for one of them to take over.
 */
const othersMs = 1_000;

/** What it needs of the member's Patroni. */
export type HandOverPatroni = Pick<PatroniClient, "configuration" | "cluster" | "confirms" | "switchOver">;

/** A clock that only goes forward. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  pause(ms: number): Promise<unknown>;
}

/** What is needed. */
export interface HandOverArgs {
  readonly self: string;
  readonly patroni: HandOverPatroni;
  readonly clock: Clock;
  readonly log: Log;
}

/** Hands over where this member is the primary. Never throws. */
export async function handOverInTime(args: HandOverArgs): Promise<void> {
  const { patroni, log } = args;
  // one that does not answer has nothing to wait for
  await untilAllCount(args).catch(() => undefined);
  if (!(await isPrimary(patroni))) return;
  log("this member is the primary and will stop: a replica is to take over");
  try {
    log(await handOver(args));
  } catch (error) {
    log(`no answer (${textOf(error)}): stopping as it is`);
  }
}

const isPrimary = (patroni: HandOverPatroni): Promise<boolean> => patroni.confirms("/primary", roleMs);

/** Until every other replica that runs is one whose confirmation counts, or for as long as that may take. */
async function untilAllCount({ self, patroni, clock, log }: HandOverArgs): Promise<void> {
  const start = clock.now();
  while (waitsForReplicas(await patroni.configuration(roleMs)) && clock.now() - start < quorumMs) {
    const missing = uncountedAmong(await patroni.cluster(roleMs), self);
    if (missing.length === 0) return;
    log(`commits do not count on ${missing.join(", ")} yet: waiting for that before this member stops`);
    await clock.pause(pauseMs);
  }
}

/** What came of it. */
async function handOver(args: HandOverArgs): Promise<string> {
  const { self, patroni, clock } = args;
  const start = clock.now();
  await clock.pause(othersMs);
  while (await hasReplica(args)) {
    const { done, answer } = await patroni.switchOver(self, deadlineMs);
    if (done) return answer;
    const next = afterRefusal(answer, await isPrimary(patroni), clock.now() - start);
    if (next.kind === "end") return next.why;
    await clock.pause(pauseMs);
  }
  return "no replica answers: stopping as it is";
}

/** Whether any other member answers and serves as a replica. */
async function hasReplica({ self, patroni }: HandOverArgs): Promise<boolean> {
  for (const address of replicaAddresses(await patroni.cluster(replicaMs), self)) {
    if (await patroni.confirms(address, roleMs)) return true;
  }
  return false;
}
