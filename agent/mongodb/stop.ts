// How a member ends: a primary hands over, and one that is no longer wanted waits until its set has removed it.
import { setTimeout as delay } from "node:timers/promises";
import { log, textOf } from "../log";
import { stepDown } from "./act";
import { serverStateOf } from "./observe";
import type { Servers } from "./ports";

/**
 * How long a member that leaves for good waits until its set has removed it, in milliseconds. Without the wait a set of three that
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
  /** Looks, decides and acts once more, as every member does. */
  readonly step: () => Promise<void>;
}

/** Leaves. Failures are logged: the server ends in any case. */
export async function leaveInOrder({ servers, leads, alone, stays, step }: LeavingArgs): Promise<void> {
  if (leads && !alone) {
    await stepDown({ servers }).catch((error: unknown) => {
      log("handing over failed", { why: textOf(error) });
    });
  }
  if (!stays) await untilRemoved(servers, step);
}

/** A member that still leads, or leads again because it could not hand over or another leaving member handed over to it, hands over meanwhile. */
async function untilRemoved(servers: Servers, step: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + removalMs;
  while (performance.now() < deadline) {
    const hello = await servers.asNobody({ hello: 1 }).catch(() => undefined);
    if (hello === undefined) return;
    const { kind } = serverStateOf(hello);
    if (kind === "unconfigured" || kind === "standalone") return;
    if (kind === "primary") {
      await step().catch((error: unknown) => {
        log("a step of removing this member failed", { why: textOf(error) });
      });
    }
    await delay(lookMs);
  }
  log("the set still has this member", { waitedMs: removalMs });
}
