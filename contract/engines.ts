// The engines, and what API, components, platform, tools and tests must know of each without running it: the one table of them.
import { maxMembers } from "./limits";

/** Where what changes between backups can be kept. */
export type PlaceOfChanges = "in object storage" | "on the backup volume";

/** What is known of an engine everywhere. */
interface EngineFacts {
  /** Its name in texts. */
  readonly title: string;
  /** Where clients connect. The port is named after the engine. */
  readonly port: number;
  /** In which ConfigMaps its consensus keeps its state: `<name>-<object>`. */
  readonly consensusObjects: readonly string[];
  /** Set where it can have less members than a Database: how many, and what refuses more. */
  readonly memberLimit?: { readonly most: number; readonly by: string };
  /** What a member needs, and gets where nothing is said: `large` where less than `leastLargeMemory` does not let it start. */
  readonly memory: "small" | "large";
  /** Its superuser, and whether it can be kept off the network. */
  readonly superuser: { readonly name: string; readonly isClosable: boolean };
  /** What the author of a Database can have restore drills ask, beside what they look at by themselves. */
  readonly drillsAsk: "SQL" | "nothing";
  /** How its commits wait for other members: as `highAvailability` says, or always for a majority. */
  readonly commits: "as set" | "by majority";
  /** Whether writes need a majority to which a member counts that has stopped in order: with two members, both. */
  readonly isMissedWhenStopped: boolean;
  /**
   * Whether a backup for object storage is made on a volume of its Jobs, which send it: then members take no part in it. Else they send it themselves, with
   * what changes between backups.
   */
  readonly isStaged: boolean;
  /** Whether its members can have a certificate. */
  readonly canHaveTls: boolean;
  /** Where its backups can go beside a volume. */
  readonly backsUpTo: "object storage" | "volume alone";
  /** Beside which of its backups what changes between them can be kept, so that a restore goes back to any moment. */
  readonly keepsChanges: readonly PlaceOfChanges[];
  /** What that is called. Missing where it is kept nowhere. */
  readonly changes?: "binary logs" | "write-ahead log";
  /** What a new Database takes in of a server elsewhere: one database, as that of the application, or some; `own`: those that are the server's. */
  readonly takesIn: { readonly databases: "one" | "some"; readonly own: readonly string[] };
}

/** In the order in which they are told. */
export const engines = {
  postgresql: {
    title: "PostgreSQL",
    port: 5432,
    // the lease of the primary, a requested switch-over, and who is in sync
    consensusObjects: ["leader", "failover", "sync"],
    memory: "small",
    superuser: { name: "postgres", isClosable: true },
    drillsAsk: "SQL",
    commits: "as set",
    isMissedWhenStopped: false,
    isStaged: false,
    canHaveTls: true,
    backsUpTo: "object storage",
    keepsChanges: ["in object storage", "on the backup volume"],
    changes: "write-ahead log",
    takesIn: { databases: "one", own: ["template0", "template1"] },
  },
  mysql: {
    title: "MySQL",
    port: 3306,
    // the record of the group
    consensusObjects: ["group"],
    // it refuses a tenth: its manual, "Group Replication Limitations"
    memberLimit: { most: 9, by: "MySQL's Group Replication" },
    memory: "large",
    superuser: { name: "root", isClosable: true },
    drillsAsk: "SQL",
    commits: "by majority",
    // a shutdown leaves the group, whose majority gets smaller
    isMissedWhenStopped: false,
    isStaged: true,
    canHaveTls: false,
    backsUpTo: "object storage",
    keepsChanges: ["on the backup volume"],
    changes: "binary logs",
    takesIn: { databases: "some", own: ["mysql", "sys", "information_schema", "performance_schema"] },
  },
  mongodb: {
    title: "MongoDB",
    port: 27017,
    // that a replica set was begun, and on which volume
    consensusObjects: ["replica-set"],
    memory: "large",
    superuser: { name: "root", isClosable: false },
    drillsAsk: "nothing",
    commits: "by majority",
    // a configuration has votes of members that are down
    isMissedWhenStopped: true,
    isStaged: false,
    canHaveTls: false,
    backsUpTo: "volume alone",
    keepsChanges: [],
    takesIn: { databases: "some", own: ["admin", "local", "config"] },
  },
} as const satisfies Readonly<Record<string, EngineFacts>>;

export type EngineName = keyof typeof engines;

/** What is known of this engine, without what is special to its entry. */
export const factsOf = (name: EngineName): EngineFacts => engines[name];

const isEngine = (name: string): name is EngineName => Object.hasOwn(engines, name);
export const engineNames: readonly EngineName[] = Object.keys(engines).filter(isEngine);

/** The engines of which `holds` is true. */
export const enginesThat = (holds: (facts: EngineFacts) => boolean): readonly EngineName[] =>
  engineNames.filter((name) => holds(factsOf(name)));

/** A value for each engine. */
export function byEngine<T>(valueOf: (name: EngineName) => T): Readonly<Record<EngineName, T>> {
  return Object.fromEntries(engineNames.map((name) => [name, valueOf(name)])) as Record<EngineName, T>;
}

/** Their titles in a sentence: "MySQL and MongoDB". */
export const titlesOf = (names: readonly EngineName[]): string => inSentence(names.map((name) => factsOf(name).title));

/** `a`, `a and b`, `a, b and c`. */
export function inSentence(words: readonly string[]): string {
  const [last = "", ...others] = [...words].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

/** Of which engines the superuser can be kept off the network, said to those who ask for it of another one. */
export function whoseSuperuserIsClosable(): string {
  const open = enginesThat(({ superuser }) => !superuser.isClosable).map(factsOf);
  const superusers = inSentence(open.map(({ title, superuser }) => `${superuser.name} of ${title}`));
  const titles = titlesOf(enginesThat(({ superuser }) => superuser.isClosable));
  return `is for ${titles}: ${superusers} may always connect over the network, as its init Job does`;
}

/** The most members of a Database of this engine. */
export const maxMembersOf = (name: EngineName): number => factsOf(name).memberLimit?.most ?? maxMembers;

/**
 * The least memory of a member whose memory is `large`. MySQL needs some 350 MiB beside the smallest buffer pool, MongoDB's cache is 256 MiB at
 * least, and the agent has about 64 MiB: with less a member is killed before it serves, again and again.
 */
export const leastLargeMemory = "512Mi";
