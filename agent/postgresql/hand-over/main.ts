// What a member runs before it is stopped (preStop).
import { setTimeout as delay } from "node:timers/promises";
import { logOf, toMemberLog } from "../log";
import { PatroniClient } from "../patroni/client";
import { ownName, restCredentials } from "../settings";
import { handOverInTime } from "./hand-over";

/** Runs the program. */
export async function handOver(): Promise<void> {
  await handOverInTime({
    self: ownName(),
    patroni: new PatroniClient(restCredentials()),
    clock: { now: () => performance.now(), pause: delay },
    log: logOf("handover", toMemberLog),
  });
}
