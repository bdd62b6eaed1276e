// Decides which member a primary adds, gives a vote, takes the vote from, or removes next. Pure.
import type { Action } from "./action";
import { changed, majorityOf, maxVoters, votersOf, type Change } from "./configuration";
import type { Observation, SetView } from "./observation";
import { maxMembers } from "../../contract/limits";

interface Situation {
  readonly seen: Observation;
  readonly set: SetView;
  /** Hosts of the wanted members, by ordinal. */
  readonly kept: readonly string[];
  /** Hosts of members that are no longer wanted, the highest ordinal first, without hosts that people added. */
  readonly surplus: readonly string[];
}

/** What the primary does next so that the set consists of members 0 to `wanted` - 1. */
export function nextChange(seen: Observation, set: SetView, wanted: number): Action {
  const hosts = Array.from({ length: maxMembers }, (_, ordinal) => seen.hostOf(ordinal));
  const present = new Set(set.configuration.members.map(({ host }) => host));
  const surplus = hosts
    .slice(wanted)
    .filter((host) => present.has(host))
    .reverse();
  const situation = { seen, set, kept: hosts.slice(0, wanted), surplus };
  // What makes the set stronger comes first, and members are removed only then.
  const steps = [grantVote, add, handOver, dropVote, remove];
  for (const step of steps) {
    const action = step(situation);
    if (action !== undefined) return action;
  }
  return { kind: "wait", why: "the members are as wanted" };
}

type MembershipStep = (situation: Situation) => Action | undefined;

const grantVote: MembershipStep = ({ set, kept, seen }) => {
  if (votersOf(set.configuration).length >= maxVoters) return undefined;
  const grown = set.configuration.members.find(
    ({ host, votes }) => votes === 0 && kept.includes(host) && set.health.get(host)?.isSecondary === true,
  );
  return grown && reconfigure({ set, seen }, { kind: "grantVote", host: grown.host });
};

const add: MembershipStep = ({ set, kept, seen }) => {
  const isMember = (host: string): boolean => set.configuration.members.some((member) => member.host === host);
  // One that still believes in an earlier configuration finds out by itself that it was removed.
  const isFree = (host: string): boolean =>
    seen.peers.some((peer) => peer.host === host && peer.server.kind === "unconfigured");
  const missing = kept.find((host) => !isMember(host) && isFree(host));
  return missing === undefined ? undefined : reconfigure({ set, seen }, { kind: "add", host: missing });
};

/** A primary that is to be removed hands over first: it could not take its own vote. */
const handOver: MembershipStep = ({ set, kept, surplus, seen }) => {
  if (!surplus.includes(seen.host)) return undefined;
  const heir = set.configuration.members.find(
    ({ host, priority }) => priority > 0 && kept.includes(host) && set.health.get(host)?.isSecondary === true,
  );
  if (heir !== undefined) return { kind: "stepDown" };
  return { kind: "wait", why: "this primary is to be removed, and no remaining member can lead yet" };
};

/** The votes of members that cannot be reached go first: they are the ones that endanger the majority. */
const dropVote: MembershipStep = ({ set, surplus, seen }) => {
  const voters = votersOf(set.configuration);
  const going = surplus.filter((host) => voters.includes(host));
  const [next] = [...going.filter((host) => !isUp(set, seen, host)), ...going];
  return next === undefined ? undefined : reconfigure({ set, seen }, { kind: "dropVote", host: next });
};

const remove: MembershipStep = ({ set, surplus, seen }) => {
  const [next] = surplus;
  return next === undefined ? undefined : reconfigure({ set, seen }, { kind: "remove", host: next });
};

/** A change that would leave the reachable voters without a majority is not made: the set would lose its primary. */
function reconfigure({ set, seen }: { set: SetView; seen: Observation }, change: Change): Action {
  const configuration = changed(set.configuration, change);
  const voters = votersOf(configuration);
  const up = voters.filter((host) => isUp(set, seen, host)).length;
  if (up < majorityOf(voters.length)) {
    return { kind: "wait", why: `${change.kind} of ${change.host} would leave ${up} of ${voters.length} voters` };
  }
  return { kind: "reconfigure", configuration, change };
}

const isUp = (set: SetView, seen: Observation, host: string): boolean =>
  host === seen.host || set.health.get(host)?.reachable === true;
