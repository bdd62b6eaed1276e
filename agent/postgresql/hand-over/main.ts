// What a member runs before it is stopped (preStop).
import { setTimeout as delay } from "node:timers/promises";
import { logOf, toMemberLog } from "../log";
import { isGood, PatroniClient } from "../patroni/client";
import { ownName, restCredentials } from "../settings";
import { handOverInTime } from "./hand-over";

/** Runs the program. */
export async function handOver(): Promise<void> {
  const client = new PatroniClient(restCredentials());
  await handOverInTime({
    self: ownName(),
    patroni: {
      configuration: (withinMs) => client.configuration(withinMs),
      cluster: (withinMs) => client.cluster(withinMs),
      confirms: (url, withinMs) => client.confirms(url, withinMs),
      switchOver: async (from, withinMs) => {
        const reply = await client.order("POST", "/switchover", { leader: from }, withinMs);
        return { done: isGood(reply), answer: reply.text };
      },
    },
    clock: { now: () => performance.now(), pause: delay },
    log: logOf("handover", toMemberLog),
  });
}
