// Which member a stopping primary hands over to.
import { ordinalOf, type MemberReport, type Membership } from "./observation";

/**
 * The member to become primary, or nothing when no other can: one that the database wants to keep, if there is one. One that is stopping would
 * not take over for long; the group elects when this member leaves.
 */
export function successorIn(
  membership: Membership,
  self: string,
  peers: readonly MemberReport[],
  wanted: number,
): { readonly name: string; readonly id: string } | undefined {
  const stopping = new Set(peers.filter((peer) => peer.stopping).map(({ name }) => name));
  const rank = (name: string): number => (ordinalOf(name) < wanted ? 0 : 1);
  const [best] = membership.members
    .filter(({ name, state }) => name !== self && state === "ONLINE" && !stopping.has(name))
    .sort((left, right) => rank(left.name) - rank(right.name) || ordinalOf(left.name) - ordinalOf(right.name));
  return best;
}
