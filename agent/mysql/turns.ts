// Whose turn it is to copy all data from a group: a server is copied by one at a time, and refuses a second, which would then keep trying in vain.
import { maxMembers } from "../../contract/limits";
import { ordinalOf, type MemberReport, type Observation, type ServerView } from "./observation";

/** Whether it has nothing that counts, and so begins with a copy of all data. */
export const isEmpty = (server: Extract<ServerView, { kind: "up" }>): boolean =>
  server.fresh && server.transactions === "";

/**
 * The member that goes first; undefined where it is this one's turn. One that is receiving the data comes first, then those whose last attempt
 * did not fail, and of these the one with the lower ordinal: a member that fails holds up no other. `inside`: members of the group.
 */
export function copyingBefore(
  { self, failed = false, peers }: Pick<Observation, "self" | "failed" | "peers">,
  inside: readonly MemberReport[],
): string | undefined {
  // what is in the binary logs of a new group makes up for a copy that is refused
  if (!inside.every(({ server }) => server.kind === "up" && server.purged === true)) return undefined;
  const receiving = inside.flatMap(({ server }) =>
    server.kind === "up" ? server.membership.members.filter(({ state }) => state === "RECOVERING") : [],
  );
  if (receiving[0] !== undefined) return receiving[0].name;
  const turn = (name: string, hasFailed: boolean): number => ordinalOf(name) + (hasFailed ? maxMembers : 0);
  return peers.find(
    ({ name, server, stopping, failed: hasFailed = false }) =>
      server.kind === "up" &&
      server.membership.state === "OFFLINE" &&
      isEmpty(server) &&
      !stopping &&
      turn(name, hasFailed) < turn(self, failed),
  )?.name;
}
