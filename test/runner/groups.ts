// The slow tail of the tests, in groups of which each run takes some: what each is about, and which changes force it.

/** A group of slow tests. */
export interface Group {
  readonly about: string;
  /** Folders and files below the root: where something in them has changed since the group last passed, it runs. */
  readonly folders: readonly string[];
}

const postgresql = [
  "components/engines/postgresql",
  "components/engines/postgresql.ts",
  "images/postgresql",
  "agent/postgresql",
];
const mysql = ["components/engines/mysql", "components/engines/mysql.ts", "images/mysql", "agent/mysql"];
const engines = ["components/engines", "contract", "agent", "images"];
const node = ["tools/cluster"];
const deployed = ["operator/leadership", "operator/main.ts", "operator/wiring", "images/operator", "infra"];

/** In the order in which they take their turns. */
export const groups = {
  "postgresql-second-member": { about: "a second server on a volume, and a killed container", folders: postgresql },
  "mysql-kept": { about: "kept volumes of MySQL, taken up by fewer members", folders: mysql },
  "mysql-restore": {
    about: "Databases of MySQL that begin with a backup",
    folders: [...mysql, "agent/restore", "components/restore.ts", "operator/reconcile/restore.ts"],
  },
  "mysql-outage": { about: "a whole group of MySQL is killed, or deleted", folders: mysql },
  "postgresql-quorum": { about: "replicas that stop while commits wait for them", folders: postgresql },
  "api-frozen": { about: "writes while the Kubernetes API hangs", folders: engines },
  "postgresql-diverged": { about: "a primary that wrote alone and froze", folders: postgresql },
  "monitoring-lag": { about: "alerts about replicas that lag", folders: [...engines, "infra/monitoring"] },
  "postgresql-wal-gone": { about: "a replica whose WAL or slot is gone, and copies of members", folders: postgresql },
  "real-node": { about: "what the nodes of this machine can do", folders: node },
  "postgresql-15": { about: "minors of PostgreSQL 15, and the tables of parameters", folders: postgresql },
  "deployed-operator": { about: "a frozen leader, and make undeploy", folders: deployed },
  "postgresql-decision": {
    about: "commits that wait for no other member, or for the only one; the only member with all commits is lost",
    folders: postgresql,
  },
  "full-node": { about: "members that a node has no room for", folders: ["operator/rollout", "operator/placement"] },
  "agent-frozen": { about: "a Patroni that is frozen while its server lives", folders: postgresql },
  "cut-off": { about: "a primary that is cut off from the network", folders: engines },
  "session-settings": {
    about: "settings that would stop the members' own programs, or a server's first start",
    folders: engines,
  },
  "backups-s3": {
    about: "backups of PostgreSQL in object storage",
    folders: [
      ...[
        "agent/postgresql/backup",
        "agent/postgresql/watch/archive.ts",
        "components/object-storage.ts",
        "components/backup.ts",
      ],
      ...["operator/backups", "images/postgresql"],
    ],
  },
  "backups-encrypted": {
    about: "encrypted backups of PostgreSQL, and backups that are tried again",
    folders: ["agent/postgresql/backup", "components/object-storage.ts", "operator/backups", "images/postgresql"],
  },
  restore: {
    about: "Databases that begin with a backup",
    folders: [
      "agent/restore",
      "agent/postgresql/restore",
      "components/restore.ts",
      "operator/reconcile/restore.ts",
      "images/postgresql",
    ],
  },
  "restore-s3": {
    about: "Databases that begin with what object storage has of another one",
    folders: [
      ...["agent/restore", "agent/postgresql/restore", "agent/postgresql/backup"],
      ...["components/restore.ts", "components/object-storage.ts", "operator/reconcile/restore.ts"],
      ...["operator/reconcile/restore-source.ts", "images/postgresql"],
    ],
  },
  drill: {
    about: "backups that drills restore: good ones, damaged ones, and queries that do not hold",
    folders: [
      ...["agent/postgresql/verify", "agent/postgresql/restore", "components/verification.ts", "images/postgresql"],
      ...["operator/reconcile/verified.ts", "operator/backups"],
    ],
  },
  "storage-growth": {
    about: "volumes that fill up and grow",
    folders: ["agent/volume", "operator/reconcile/storage.ts", "operator/reconcile/growth.ts", "images/postgresql"],
  },
  edits: {
    about: "random edits, and whether what a preview says of them comes",
    folders: ["operator/rollout", "operator/preview", "operator/placement", "components/workload.ts", "test/edits"],
  },
  "edits-real": {
    about: "random edits of databases on a real node",
    folders: [...engines, "operator/rollout", "operator/preview", "operator/placement", "test/edits"],
  },
} as const satisfies Readonly<Record<string, Group>>;

export type GroupName = keyof typeof groups;

export const groupNames: readonly GroupName[] = Object.keys(groups).filter(isGroup);

/** Whether a text names a group. */
export function isGroup(text: string): text is GroupName {
  return Object.hasOwn(groups, text);
}
