// The boxes of level 3, "Full Lifecycle", of the capability levels of operators
// (https://sdk.operatorframework.io/docs/overview/operator-capabilities/), and what holds each. What two of its questions and features ask alike
// is one box.
import { everyStory, inParts, story, told, type Holder } from "./case";

export interface Capability {
  /** What the level asks for, in one sentence. */
  readonly box: string;
  /** At least one. */
  readonly heldBy: readonly Holder[];
  /** What of it is otherwise here, for people. */
  readonly otherwise?: string;
}

const linters = "test/cluster/linters.test.ts";
const rollout = "test/cluster/rollout.test.ts";

const objectsOfADatabase = told(
  "linters",
  linters,
  "linters find nothing but the listed exceptions: a Database with its children",
  {
    isReal: false,
  },
);

export const capabilities: readonly Capability[] = [
  {
    box: "It backs up the data.",
    heldBy: [
      everyStory(
        "postgresql",
        "a backup is taken, verified, listed and shown in the status; only the last ones are kept",
      ),
      everyStory("mysql", "a backup is taken of a replica, whatever is in the tables, and its Job says what there is"),
      story(
        "mongodb-drill",
        "the newest backup is loaded and compared; how long that took is known, and its volume goes with the Job",
      ),
    ],
  },
  {
    box: "It restores a backup, and the Database is under management again.",
    heldBy: [
      story(
        "restore",
        "of a Database that is gone the newest backup is taken, although the first attempt was cut off",
        "pod",
      ),
      story("mysql-restore", "it has rows, accounts and grants, passwords of its own, three members, a backup"),
      story(
        "mongodb-restore",
        "the newest backup of a Database that is gone restores it under its name, once nothing of its set is left",
      ),
    ],
  },
  {
    box: "It waits for each step of a reconfiguration, in the order that is needed.",
    heldBy: [
      told(
        "restarts-in-place",
        "test/e2e/stories/restarts.ts",
        "a lower limit, of which replicas may not have less than their primary, is in force once each server has restarted in place",
      ),
      told(
        "full-node",
        "test/e2e/stories/restarts.ts",
        "a node that has room for one larger member: the second waits for room, no other is touched, and reverting it heals",
      ),
      story("postgresql-upgrade", "confirmed, the newer files go from each member, and the upgrade can begin again"),
      inParts(
        rollout,
        "a setting that prevents start stops at the first member (ConfigRejected), and reverting it heals",
      ),
      inParts(rollout, "another client's disruption budget is respected, and reported"),
    ],
  },
  {
    box: "Another member takes over from one that fails, and the former one comes back as its replica.",
    heldBy: [
      story(
        "hardening",
        "the primary's server is killed under synchronousCommit: another takes over with every acknowledged row",
      ),
      story(
        "hardening",
        "a primary that wrote alone and froze: another serves, its clients are cut off, and it comes back without what it had alone",
      ),
      told(
        "cut-off",
        "test/e2e/stories/availability.ts",
        "the primary is cut off: another member takes over, two are never writable at once, new connections find the writable one, and nothing is lost",
      ),
      told("mysql-outage", "test/e2e/stories/mysql-without-operator.ts", "while no operator runs"),
    ],
    otherwise:
      "replica sets of MongoDB are tested with scripted servers alone: no `mongod` can be had where this is made",
  },
  {
    box: "It takes the quorum into account.",
    heldBy: [
      story(
        "mysql-kept",
        "after an unclean end one member does not lead alone; the condition says what brings the database back, and that works",
      ),
      told(
        "postgresql-decision",
        "test/e2e/stories/decision.ts",
        "the only member with all commits is lost for good: no other leads, until a person says which; that one serves, the lost one copies it",
      ),
      story(
        "hardening",
        "under synchronousCommit a replica stops only once commits count on the other one, which has just come back",
      ),
    ],
  },
  {
    box: "Members, which serve reads, are added and removed.",
    heldBy: [
      everyStory("postgresql", "kubectl scale removes a member"),
      everyStory("postgresql", "kubectl scale brings a member back with the data that it had"),
      everyStory(
        "mysql",
        "kubectl scale removes members and brings them back: one that lost its volume copies all data",
      ),
    ],
  },
  {
    box: "It scales with knowledge of the server.",
    heldBy: [
      everyStory(
        "mysql",
        "more memory than any node has, and a buffer pool to match: no member is taken down, servers keep what they have, and a revert leaves everything as it was",
      ),
      story(
        "storage-growth",
        "a volume that clients fill grows before it is full, on all members, and no client notices",
      ),
      story(
        "storage-growth",
        "a volume that is full at once stops its server; it grows without a person, and the server comes back with its rows",
      ),
    ],
    otherwise: "caches and connections follow the size of a pod; by how much load there is, nothing is scaled",
  },
  { box: "Servers have liveness probes.", heldBy: [objectsOfADatabase] },
  {
    box: "Servers have readiness probes, which fail while they do not serve.",
    heldBy: [
      objectsOfADatabase,
      everyStory(
        "postgresql",
        "of two members the replica is down: orders-ro leads nowhere, and reads continue through orders-any",
      ),
    ],
  },
  {
    box: "Changes roll, one member at a time.",
    heldBy: [
      everyStory("postgresql", "a parameter that needs a restart rolls the members, and no row is lost"),
      everyStory("mysql", "a parameter that needs a restart rolls the members, and no row is lost"),
      inParts(
        rollout,
        "replicas are restarted first and the primary last, each reported with its cause, and the Database is not complete before",
      ),
    ],
  },
  { box: "Members have a PodDisruptionBudget.", heldBy: [objectsOfADatabase] },
  {
    box: "Members request CPU and memory, and are limited.",
    heldBy: [objectsOfADatabase],
    otherwise:
      "memory is limited always, CPU only where `spec.resources.limits.cpu` says so: a limit delays elections while the node is idle",
  },
];
