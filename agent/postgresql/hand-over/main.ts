// What a member runs before it is stopped (preStop).
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../../log";
import { logOf, toMemberLog } from "../log";
import { PatroniClient } from "../patroni/client";
import { ownName, restCredentials } from "../settings";
import { noteStop } from "../told-to-stop";
import { handOverInTime } from "./hand-over";

/** Runs the program. */
export async function handOver(): Promise<void> {
  const log = logOf("handover", toMemberLog);
  await handOverInTime({
    self: ownName(),
    patroni: new PatroniClient(restCredentials()),
    clock: { now: () => performance.now(), pause: delay },
    log,
  });
  await noteStop().catch((error: unknown) => {
    log(`a stop that hangs will not be noticed: ${textOf(error)}`);
  });
}
