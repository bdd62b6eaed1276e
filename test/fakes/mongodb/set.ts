// A scripted replica set in memory: members that start, die, part and elect by simple rules, one heartbeat at a time.
import { compareAge, majorityIn, votersIn, type SetConfiguration } from "./configuration";

/** What a member's server is at the moment. */
export type MemberRole = "startup" | "copying" | "secondary" | "primary" | "removed";

/** A user, with its password in clear: this server keeps nothing safe. */
export interface User {
  readonly name: string;
  readonly database: string;
  readonly password: string;
  /** As the command that created it says. */
  readonly roles: readonly unknown[];
}

/** A member: what it would lose with its volume, and what it is doing. */
export interface Member {
  /** As configurations name it. */
  readonly host: string;
  up: boolean;
  role: MemberRole;
  configuration: SetConfiguration | undefined;
  term: number;
  /** How much of the set's history it has: what a later term wrote counts more than all of an earlier one. */
  position: number;
  users: User[];
  /** How many documents each collection has, by full name, beside an index of their `_id`. */
  readonly documents: Map<string, number>;
  /** Full names of collections in which something is not valid. */
  readonly invalid: Set<string>;
  /** Parameters that can be set while it runs. */
  readonly parameters: Map<string, unknown>;
  /** Heartbeats until its first copy is complete. */
  copying: number;
  /** Heartbeats for which it stands for no election, after it stepped down. */
  resting: number;
}

/** How the set behaves. */
export interface Rules {
  /** Heartbeats that a first copy takes. Default: 2. */
  readonly copyBeats?: number;
  /** Whether the servers belong to no set, and ask no one who they are: started without these options. Default: false. */
  readonly areAlone?: boolean;
}

const writesPerTerm = 1_000_000;

const fresh = { role: "startup", configuration: undefined, term: 0, position: 0, copying: 0, resting: 0 } as const;

/** A set of servers, of which some may become a replica set. */
export class ScriptedSet {
  readonly members: Member[];
  /** Pairs of hosts that cannot reach each other, as "a|b" in both orders. */
  private readonly cuts = new Set<string>();
  private readonly copyBeats: number;
  readonly areAlone: boolean;

  constructor(hosts: readonly string[], rules: Rules = {}) {
    this.members = hosts.map((host) => ({
      host,
      up: false,
      ...fresh,
      users: [],
      documents: new Map<string, number>(),
      invalid: new Set<string>(),
      parameters: new Map<string, unknown>([
        ["cursorTimeoutMillis", 600000],
        ["notablescan", false],
      ]),
    }));
    this.copyBeats = rules.copyBeats ?? 2;
    this.areAlone = rules.areAlone ?? false;
  }

  /** The member with this host. Throws when there is none. */
  member(host: string): Member {
    const found = this.members.find((member) => member.host === host);
    if (found === undefined) throw new Error(`the script has no member ${host}`);
    return found;
  }

  /** Starts a server on the volume that it had. */
  start(host: string): void {
    const member = this.member(host);
    if (member.up) return;
    member.up = true;
    if (this.areAlone) member.role = "primary";
    else member.role = member.configuration === undefined ? "startup" : this.roleByConfiguration(member);
  }

  /** Ends a server at once. */
  kill(host: string): void {
    this.member(host).up = false;
  }

  /** Ends a server, and empties its volume. */
  lose(host: string): void {
    Object.assign(this.member(host), { up: false, ...fresh, users: [] });
  }

  /** Lets these hosts reach each other and no other host. */
  isolate(hosts: readonly string[]): void {
    for (const inside of hosts) {
      for (const { host } of this.members.filter((member) => !hosts.includes(member.host))) {
        this.cuts.add(`${inside}|${host}`).add(`${host}|${inside}`);
      }
    }
  }

  /** Lets every host reach every other again. */
  heal(): void {
    this.cuts.clear();
  }

  /** Whether two servers run and reach each other. */
  reaches(from: string, to: string): boolean {
    return this.member(from).up && this.members.some(({ host, up }) => host === to && up) && !this.isCut(from, to);
  }

  private isCut(from: string, to: string): boolean {
    return this.cuts.has(`${from}|${to}`);
  }

  /** The voters of a member's configuration that it reaches, itself included. */
  reachableVoters(member: Member): string[] {
    return member.configuration === undefined
      ? []
      : votersIn(member.configuration).filter((host) => this.reaches(member.host, host));
  }

  /** Whether a member reaches a majority of the voters of its configuration. */
  hasMajority(member: Member): boolean {
    return (
      member.configuration !== undefined && this.reachableVoters(member).length >= majorityIn(member.configuration)
    );
  }

  /** Whether a majority of the voters has the member's configuration and all of its history. */
  isCommitted(member: Member): boolean {
    const { configuration, position } = member;
    if (configuration === undefined) return false;
    const having = votersIn(configuration).filter((host) => {
      const voter = this.member(host);
      const same = voter.configuration !== undefined && compareAge(voter.configuration, configuration) === 0;
      return same && voter.position >= position && (host === member.host || this.reaches(member.host, host));
    });
    return having.length >= majorityIn(configuration);
  }

  /** One round of heartbeats: configurations spread, the lead changes where it must, and followers catch up. */
  beat(): void {
    for (const member of this.members.filter(({ up }) => up)) this.learn(member);
    for (const member of this.members.filter(({ up, role }) => up && role === "primary")) {
      if (!this.hasMajority(member) || this.newerTermFor(member)) member.role = "secondary";
    }
    this.elect();
    for (const member of this.members.filter(({ up }) => up)) this.follow(member);
    for (const member of this.members) member.resting = Math.max(0, member.resting - 1);
  }

  /** Copies the newest configuration among those whose members are in touch with this one. */
  private learn(member: Member): void {
    const known = this.members.filter(({ host, configuration }) => {
      const names = (within: SetConfiguration | undefined, whom: string): boolean =>
        within?.members.some((entry) => entry.host === whom) === true;
      const related = names(configuration, member.host) || names(member.configuration, host);
      return host !== member.host && related && this.reaches(member.host, host);
    });
    for (const { configuration } of known) {
      if (configuration === undefined) continue;
      if (member.configuration !== undefined && compareAge(configuration, member.configuration) <= 0) continue;
      member.configuration = configuration;
      if (member.role !== "primary") member.role = this.roleByConfiguration(member);
    }
  }

  private roleByConfiguration(member: Member): MemberRole {
    const { configuration, host, position } = member;
    if (configuration?.members.some((entry) => entry.host === host) !== true) return "removed";
    if (position > 0) return "secondary";
    if (member.copying === 0) member.copying = this.copyBeats;
    return "copying";
  }

  private newerTermFor(member: Member): boolean {
    return this.members.some(
      ({ host, role, term }) => role === "primary" && term > member.term && this.reaches(member.host, host),
    );
  }

  /** A secondary with a majority and nothing newer in its reach leads, the first by number among equals. */
  private elect(): void {
    for (const candidate of this.members.filter((member) => this.mayStand(member))) {
      const { configuration } = candidate;
      if (configuration === undefined) continue;
      const voters = this.reachableVoters(candidate).map((voter) => this.member(voter));
      const agree = voters.filter((voter) => this.votesFor(voter, candidate));
      const led = voters.some((voter) => voter.role === "primary");
      if (!led && agree.length >= majorityIn(configuration)) this.crown(candidate, voters);
    }
  }

  private mayStand(member: Member): boolean {
    const { up, role, resting, configuration, host } = member;
    const priority = configuration?.members.find((entry) => entry.host === host)?.priority ?? 0;
    return up && role === "secondary" && resting === 0 && priority > 0 && this.hasMajority(member);
  }

  private votesFor(voter: Member, candidate: Member): boolean {
    if (voter.position > candidate.position) return false;
    if (voter.configuration === undefined || candidate.configuration === undefined) return true;
    return compareAge(voter.configuration, candidate.configuration) <= 0;
  }

  private crown(member: Member, voters: readonly Member[]): void {
    const term = Math.max(...voters.map((voter) => voter.term), member.term) + 1;
    for (const voter of voters) voter.term = term;
    Object.assign(member, { role: "primary", term, position: term * writesPerTerm });
    if (member.configuration !== undefined) member.configuration = { ...member.configuration, term };
  }

  private follow(member: Member): void {
    const primary = this.members.find(
      ({ host, role, configuration }) =>
        role === "primary" &&
        configuration?.members.some((entry) => entry.host === member.host) === true &&
        host !== member.host &&
        this.reaches(member.host, host),
    );
    if (primary === undefined || !["copying", "secondary"].includes(member.role)) return;
    member.copying = Math.max(0, member.copying - 1);
    if (member.copying > 0) return;
    Object.assign(member, {
      role: "secondary",
      position: primary.position,
      users: [...primary.users],
      term: primary.term,
    });
  }
}
