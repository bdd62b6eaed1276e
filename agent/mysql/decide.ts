// The next step of a member: a pure function of what it sees. docs/adr/0018 says why these rules are safe. Which member of a group leads is decided
// by the servers' own consensus; who leads after an outage of all is in outage.ts.
import { contains, parseGtidSet } from "./gtid";
import {
  ordinalOf,
  type MemberReport,
  type Membership,
  type Observation,
  type ServerView,
  type Standing,
} from "./observation";
import { leaderAfterOutage } from "./outage";
import type { GroupRecord } from "./record";
import { copyingBefore, isEmpty } from "./turns";

/** What a member does next. */
export type Action =
  /** Only look again. */
  | { readonly kind: "wait"; readonly why: string }
  /** Nothing, and it will not resolve itself. */
  | { readonly kind: "person"; readonly why: string }
  /** Change the record, if it is still as it was seen. */
  | { readonly kind: "record"; readonly record: GroupRecord }
  /** Claim the right to bootstrap in the record, and bootstrap if that succeeds. */
  | { readonly kind: "bootstrap"; readonly record: GroupRecord }
  /** Join the group of these members. `clone`: whether to begin with a copy of all data. */
  | { readonly kind: "join"; readonly seeds: readonly string[]; readonly clone: boolean }
  /** Shut clients out and leave the group. */
  | { readonly kind: "leave"; readonly why: string }
  /** End the server at once, and start it again. */
  | { readonly kind: "restart"; readonly why: string }
  /** Let clients in, in the role that the group gives it. */
  | { readonly kind: "serve"; readonly role: "primary" | "replica" };

/** For how long each may hang, in milliseconds. */
const limitsMs: Readonly<Record<Standing["what"], number>> = { commits: 30_000, answers: 60_000 };

type Up = Extract<ServerView, { kind: "up" }>;

const wait = (why: string): Action => ({ kind: "wait", why });

/** Decides. */
export function decide(seen: Observation): Action {
  const { server } = seen;
  if (server.kind === "down") return standingStill(seen) ?? wait("the server does not answer");
  switch (server.membership.state) {
    case "ERROR":
      return { kind: "leave", why: "the group was lost" };
    case "RECOVERING":
      return withRecordOfSelf(seen) ?? wait("it is receiving what the others have");
    case "ONLINE":
      return insideOf(seen, server.membership);
    case "OFFLINE":
      return seen.stopping ? wait("it is stopping") : outside(seen, server);
  }
}

/**
 * A member that is alone lets another one in, and from then on needs it for each commit: but the other one is in no view yet, so its end
 * is not noticed. While a change of accounts waits for its commit no one can log in, not even the member that it waits for. An interrupted
 * copy of another's data may leave an empty server that no longer answers.
 */
function standingStill({ standing, snapshot, self }: Observation): Action | undefined {
  if (standing === undefined || standing.ms < limitsMs[standing.what]) return undefined;
  if (standing.what === "answers") return { kind: "restart", why: "it is empty and does not answer" };
  if (snapshot?.record.primary !== self) return undefined;
  const { record } = snapshot;
  // otherwise it could not lead again without another recorded member, which may have lost its data
  if (record.members.length > 1) return { kind: "record", record: { ...record, members: [self] } };
  return { kind: "restart", why: "commits wait for a member that is not there yet" };
}

/**
 * A member of a group is in the record, which decides how many must be available after an outage. One that has yet to get the data
 * does not count, and is recorded once it has it: otherwise the member with the data could not lead alone.
 */
function withRecordOfSelf({ snapshot, self, server }: Observation): Action | undefined {
  if (snapshot === undefined || snapshot.record.members.includes(self)) return undefined;
  if (server.kind === "up" && server.fresh && server.membership.state !== "ONLINE") return undefined;
  const { record } = snapshot;
  return { kind: "record", record: { ...record, members: [...record.members, self].sort(byOrdinal) } };
}

const byOrdinal = (left: string, right: string): number => ordinalOf(left) - ordinalOf(right);

function insideOf(seen: Observation, membership: Membership): Action {
  const { snapshot } = seen;
  if (!membership.quorum) return wait("most of the group is unreachable");
  // Without the Kubernetes API everything stays as it is: the group continues by its own consensus.
  if (snapshot === undefined) return wait("the Kubernetes API does not answer");
  const { record } = snapshot;
  if (record.group === undefined && record.bootstrapping === undefined) return recordLost(seen, membership);
  if (membership.view !== record.view) return inOtherGroup(seen, membership, record);
  if (record.ended !== undefined) return { kind: "leave", why: "the group has ended" };
  const still = standingStill(seen);
  if (still !== undefined) return still;
  const joining = withRecordOfSelf(seen);
  if (joining !== undefined) return joining;
  return membership.role === "PRIMARY" ? asPrimary(seen, membership, record) : { kind: "serve", role: "replica" };
}

function asPrimary(seen: Observation, membership: Membership, record: GroupRecord): Action {
  const { self } = seen;
  const kept = withoutFormerMembers(seen, membership, record);
  if (record.primary === self) {
    // a decision that is no longer needed must not be found at the next outage
    const isCurrent = kept.length === record.members.length && seen.snapshot?.decision === undefined;
    return isCurrent ? { kind: "serve", role: "primary" } : { kind: "record", record: { ...record, members: kept } };
  }
  // A member that was frozen believes it is primary until it learns what happened meanwhile, which takes seconds.
  if ((membership.viewNumber ?? 0) < (record.viewNumber ?? 0)) {
    return { kind: "leave", why: `${record.primary ?? "another"} is primary by now` };
  }
  return { kind: "record", record: { ...record, primary: self, viewNumber: membership.viewNumber, members: kept } };
}

/** The record of a running group was deleted: its primary writes it again, from what the group itself says. */
function recordLost({ self, server }: Observation, membership: Membership): Action {
  const { role, view, viewNumber } = membership;
  if (server.kind === "down" || server.group === undefined || role !== "PRIMARY") {
    return wait("the record of the group is gone: its primary writes it again");
  }
  const members = membership.members
    .filter(({ state }) => state === "ONLINE")
    .map(({ name }) => name)
    .sort(byOrdinal);
  return { kind: "record", record: { group: server.group, members, primary: self, view, viewNumber } };
}

/** A group that this member has bootstrapped and not recorded yet, or one that is not the right one. */
function inOtherGroup(seen: Observation, membership: Membership, record: GroupRecord): Action {
  const { self, server } = seen;
  const { view, viewNumber } = membership;
  if (record.bootstrapping !== self || membership.role !== "PRIMARY") {
    return { kind: "leave", why: "the record names another group" };
  }
  const members = [...new Set([...record.members, self])].sort(byOrdinal);
  // after an attempt that was cut off the record may have the name of the next one
  const group = (server.kind === "up" ? server.group : undefined) ?? record.group;
  return { kind: "record", record: { group, members, primary: self, view, viewNumber } };
}

/** Members beyond the wanted number and out of the group have left for good. */
function withoutFormerMembers({ wanted }: Observation, membership: Membership, record: GroupRecord): string[] {
  const present = new Set(membership.members.map(({ name }) => name));
  return record.members.filter((name) => ordinalOf(name) < wanted || present.has(name));
}

function outside(seen: Observation, server: Up): Action {
  const { self, snapshot, peers } = seen;
  if (snapshot === undefined) return wait("the Kubernetes API does not answer");
  const { record } = snapshot;
  const inside = peers.filter((peer) => isIn(peer, record.view));
  if (inside.length > 0) return withRecordOfSelf(seen) ?? joining(seen, server, inside);
  if (peers.some(isInGroup))
    return wait("another member is in a group that is not recorded yet, or about to lose its own");
  if (snapshot.decision === self) return claim(self, nameless(record));
  if (record.members.length === 0) return first(seen, server, record);
  const own: MemberReport = { name: self, server, stopping: false };
  const leader = leaderAfterOutage(record, [own, ...peers], seen.wanted);
  if (leader.kind !== "leader") return leader;
  return leader.name === self ? claim(self, record) : wait(`${leader.name} is to lead`);
}

function joining(seen: Observation, server: Up, inside: readonly MemberReport[]): Action {
  // Joining while the group still drops this member's earlier session can take a minute, and fail.
  if (inside.some((peer) => hasInView(peer, seen.self)))
    return wait("the group has not dropped it since its restart yet");
  const clone = isEmpty(server);
  const before = clone ? copyingBefore(seen, inside) : undefined;
  if (before !== undefined) return wait(`${before} copies the data first`);
  return { kind: "join", seeds: inside.map(({ name }) => name), clone };
}

const isIn = ({ server }: MemberReport, view: string | undefined): boolean =>
  server.kind === "up" &&
  server.membership.state === "ONLINE" &&
  server.membership.quorum &&
  view !== undefined &&
  server.membership.view === view;

const hasInView = ({ server }: MemberReport, name: string): boolean =>
  server.kind === "up" && server.membership.members.some((member) => member.name === name);

const isInGroup = ({ server }: MemberReport): boolean =>
  server.kind === "up" && ["ONLINE", "RECOVERING"].includes(server.membership.state);

const claim = (self: string, record: GroupRecord): Action => ({
  kind: "bootstrap",
  record: { ...record, bootstrapping: self },
});

/**
 * After a decision the group has a name of its own. What was given up was committed under the former one, and may be in a backup, in a binary log or
 * on a member: if its numbers were used again, they would name other transactions there.
 */
const nameless = (record: GroupRecord): GroupRecord => ({ ...record, group: undefined });

/** The very first start. Only the first member may do it; a member with data that it lacks shows that it is not the first start. */
function first(seen: Observation, server: Up, record: GroupRecord): Action {
  const { self, peers } = seen;
  if (ordinalOf(self) !== 0) return wait("the first member begins");
  const own = parseGtidSet(server.transactions);
  const ahead = peers.filter(
    (peer) => peer.server.kind === "up" && !peer.server.fresh && !contains(own, parseGtidSet(peer.server.transactions)),
  );
  const names = ahead.map(({ name }) => name).join(", ");
  if (names !== "") return { kind: "person", why: `no group is recorded, but ${names} has data that ${self} lacks` };
  const silent = silentAmong(seen);
  // the record was lost: another member may be about to report more data. What a restore put here is no part of a group that others had
  if (!server.fresh && seen.restored !== true && record.group === undefined && silent.length > 0)
    return wait(`no group is recorded, and ${silent.join(", ")} may have data that ${self} lacks`);
  return claim(self, record);
}

/** Wanted members whose server does not answer. */
function silentAmong({ self, peers, wanted }: Observation): string[] {
  const names = Array.from({ length: wanted }, (_, ordinal) => self.replace(/\d+$/, String(ordinal)));
  const answering = new Set(peers.filter(({ server }) => server.kind === "up").map(({ name }) => name));
  return names.filter((name) => name !== self && !answering.has(name));
}
