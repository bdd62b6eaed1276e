// Whose turn it is to copy all data from a group: a server is copied by one at a time, and refuses a second, which would then keep trying in vain.
import { ordinalOf, type MemberReport, type Observation, type ServerView } from "./observation";

/** Whether it has nothing that counts, and so begins with a copy of all data. */
export const isEmpty = (server: Extract<ServerView, { kind: "up" }>): boolean =>
  server.fresh && server.transactions === "";

/**
 * The member that goes first; undefined where it is this one's turn. One that is receiving the data comes first, then those of which the fewest
 * attempts have failed, and of these the one with the lowest ordinal: a member that fails holds up no other for longer than one attempt. One that
 * does not know the group of these members will not join it, and is not waited for. `inside`: members of the group.
 */
export function copyingBefore(
  { self, failures = 0, peers, snapshot }: Pick<Observation, "self" | "failures" | "peers" | "snapshot">,
  inside: readonly MemberReport[],
): string | undefined {
  // what is in the binary logs of a new group makes up for a copy that is refused
  if (!inside.every(({ server }) => server.kind === "up" && server.purged === true)) return undefined;
  const receiving = inside.flatMap(({ server }) =>
    server.kind === "up" ? server.membership.members.filter(({ state }) => state === "RECOVERING") : [],
  );
  if (receiving[0] !== undefined) return receiving[0].name;
  const isBefore = (name: string, failed: number): boolean =>
    failed === failures ? ordinalOf(name) < ordinalOf(self) : failed < failures;
  return peers.find((peer) => mayCopy(peer, snapshot?.record.view) && isBefore(peer.name, peer.failures ?? 0))?.name;
}

const mayCopy = ({ server, stopping, view }: MemberReport, recorded: string | undefined): boolean =>
  server.kind === "up" && server.membership.state === "OFFLINE" && isEmpty(server) && !stopping && view === recorded;
