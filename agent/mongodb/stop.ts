// How a member ends: a primary gives the lead away, and one that is not wanted any more waits until its set has let it go.
import { setTimeout as delay } from "node:timers/promises";
import { log, textOf } from "../log";
import { stepDown } from "./act";
import { serverStateOf } from "./observe";
import type { Servers } from "./ports";

/**
 * How long a member that goes for good waits until it is no part of its set, in milliseconds. Without the wait a set of three that
 * shrinks to one would lose two voters at once, and with them its majority.
 */
const removalMs = 90_000;
const lookMs = 500;

/** What is needed to end. */
export interface LeavingArgs {
  readonly servers: Servers;
  /** Whether the member is the primary. */
  readonly leads: boolean;
  /** Whether no other member votes. */
  readonly alone: boolean;
  /** Whether the database still wants a member with this ordinal. */
  readonly stays: boolean;
}

/** Leaves. Failures are logged: the server ends in any case. */
export async function leaveInOrder({ servers, leads, alone, stays }: LeavingArgs): Promise<void> {
  if (leads && !alone) {
    await stepDown({ servers }).catch((error: unknown) => {
      log("giving the lead away failed", { why: textOf(error) });
    });
  }
  if (!stays) await untilRemoved(servers);
}

async function untilRemoved(servers: Servers): Promise<void> {
  const deadline = performance.now() + removalMs;
  while (performance.now() < deadline) {
    const hello = await servers.asNobody({ hello: 1 }).catch(() => undefined);
    if (hello === undefined) return;
    const { kind } = serverStateOf(hello);
    if (kind === "unconfigured" || kind === "standalone") return;
    await delay(lookMs);
  }
  log("the set still has this member", { waitedMs: removalMs });
}
