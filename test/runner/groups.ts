// The slow tail of the tests, in groups of which each run takes some: what each is about, and which changes force it.
import { deployed, engines, moments, mongodb, mysql, node, ofDrills, ofGrowth, ofImports, postgresql } from "./folders";
import { ofTls } from "./tls-folders";

/** A group of slow tests. */
export interface Group {
  readonly about: string;
  /** Folders and files below the root: where something in them has changed since the group last passed, it runs. */
  readonly folders: readonly string[];
  /** Whole files of tests, below the root: a run without the group does not start them. Others register tests by `rotating`. */
  readonly files?: readonly string[];
}

/** In the order in which they take their turns: of those that take five minutes and more, and of those of one file, few come together. */
export const groups = {
  "storage-growth": {
    about: "volumes that fill up and grow",
    folders: [...ofGrowth, "images/postgresql"],
  },
  "mongodb-import": {
    about: "Databases of MongoDB that begin with the data of another server",
    folders: [...mongodb, "agent/import", "agent/restore", ...ofImports],
  },
  "restarts-in-place": {
    about: "servers that restart in their pods, and logical slots",
    folders: [...postgresql, "operator/rollout"],
  },
  companions: {
    about: "objects of other kinds that become Databases",
    folders: ["operator/companions", "operator/api/companions"],
    files: [
      ...["test/cluster/companions.test.ts", "test/cluster/companion-input.test.ts"],
      "test/cluster/companion-api.test.ts",
    ],
  },
  "backups-s3": {
    about: "backups of PostgreSQL in object storage, and drills of them around a gap",
    folders: [
      ...["agent/postgresql/backup", "agent/postgresql/restore", "agent/postgresql/verify"],
      ...["agent/postgresql/watch/archive.ts", "components/object-storage.ts", "components/backup.ts"],
      ...["operator/backups", "images/postgresql"],
    ],
  },
  "outlived-volumes": {
    about: "volumes and passwords that outlive their Database",
    folders: ["components/credentials.ts", "operator/reconcile"],
    files: ["test/cluster/outlived-volumes.test.ts"],
  },
  resident: {
    about: "the resident Pulumi and the CLI: same results, and processes that die",
    folders: ["resident", "operator/stack"],
    files: ["test/cluster/differential.test.ts", "test/cluster/resident.test.ts"],
  },
  "postgresql-15": { about: "minors of PostgreSQL 15, and the tables of parameters", folders: postgresql },
  "postgresql-import": {
    about: "Databases of PostgreSQL that begin with the data of another server",
    folders: [
      ...["agent/import", "agent/restore", "agent/postgresql/import", "agent/postgresql/restore", "images/postgresql"],
      ...ofImports,
    ],
    files: ["test/e2e/postgresql-import.test.ts"],
  },
  "postgresql-wal-gone": { about: "a replica whose WAL or slot is gone, and copies of members", folders: postgresql },
  "mongodb-restore": {
    about: "Databases of MongoDB that begin with a backup",
    folders: [...mongodb, "agent/restore", "components/restore.ts", "operator/reconcile/restore.ts"],
  },
  "restore-timelines": {
    about: "restores over changes of the primary",
    folders: ["agent/restore", "agent/postgresql/restore", "agent/postgresql/backup", "images/postgresql"],
  },
  bounded: {
    about: "what an operator takes of memory, files and history, over many changes and hung runs",
    folders: ["operator/queue", "operator/stack"],
    files: ["test/faults/bounded.test.ts"],
  },
  "mongodb-drill": {
    about: "backups of MongoDB that drills load, and its volume that grows",
    folders: [...mongodb, ...ofDrills, ...ofGrowth],
  },
  "real-node": { about: "what the nodes of this machine can do", folders: node },
  leadership: {
    about: "which of several operators leads, and operators that come back",
    folders: ["operator/leadership", "operator/main.ts", "operator/wiring"],
    files: ["test/cluster/leadership.test.ts", "test/cluster/recovery.test.ts"],
  },
  "disaster-recovery": {
    about: "a cluster that is gone with all it had, and its Databases in a new one, from a bucket",
    folders: [
      ...["agent/restore", "agent/postgresql/restore", "agent/postgresql/backup", "agent/postgresql/watch/archive.ts"],
      ...["components/restore.ts", "components/object-storage.ts", "operator/reconcile/restore.ts"],
      ...["operator/reconcile/restore-source.ts", "images/postgresql", "docs/platform/disaster-recovery.md"],
    ],
  },
  state: {
    about: "state that is lost, spoilt, swapped or old, and operators that share it",
    folders: ["operator/checkpoint", "operator/domain", "operator/stack", "resident"],
    files: ["test/faults/state.test.ts"],
  },
  "other-stacks": {
    about: "two stacks of the platform for one cluster, and what the operator itself writes into it",
    folders: ["infra", "tools/platform", "Pulumi.yaml"],
  },
  drill: {
    about: "backups that drills restore: good ones, damaged ones, and queries that do not hold",
    folders: [...ofDrills, "agent/postgresql/verify", "agent/postgresql/restore", "images/postgresql"],
  },
  "bypassed-input": {
    about: "input that came past schema and rules",
    folders: ["operator/api", "operator/reconcile"],
    files: ["test/cluster/bypassed-input.test.ts"],
  },
  hardening: {
    about: "members of PostgreSQL that are stopped, die, freeze, go another way or come back late",
    folders: postgresql,
  },
  "watch-namespaces": {
    about: "an operator that watches some namespaces only",
    folders: ["infra", "operator/kube"],
    files: ["test/cluster/watch-namespaces.test.ts"],
  },
  "single-member": {
    about: "PostgreSQL with one member: deleted under each policy, with hostile and with refused parameters",
    folders: [...postgresql, "operator/reconcile"],
  },
  "restore-s3": {
    about: "Databases that begin with what object storage has of another one",
    folders: [
      ...["agent/restore", "agent/postgresql/restore", "agent/postgresql/backup"],
      ...["components/restore.ts", "components/object-storage.ts", "operator/reconcile/restore.ts"],
      ...["operator/reconcile/restore-source.ts", "images/postgresql"],
    ],
  },
  "change-policy": {
    about: "changes that wait for a person or a window, and what each that tells of them says before",
    folders: [
      ...["operator/policy", "operator/reconcile/gate.ts", "operator/reconcile/held.ts", "operator/preview"],
      ...["operator/admission/author.ts", "infra/approvals.ts", "contract/approvals.ts", "contract/effects.ts"],
    ],
    files: ["approvals", "fleet", "previews-agree"].map((name) => `test/cluster/${name}.test.ts`),
  },
  causes: {
    about: "why members of PostgreSQL started, as `why` tells it, and a bad change that is taken back",
    folders: ["operator/history", "operator/api/revisions", "plugin/why", "plugin/history", "plugin/rollback"],
    files: ["test/e2e/causes.test.ts"],
  },
  "mysql-kept": { about: "kept volumes of MySQL, taken up by fewer members", folders: mysql },
  "deletion-obstacles": {
    about: "deletions that something prevents",
    folders: ["operator/reconcile", "operator/stack"],
    files: ["test/cluster/deletion-obstacles.test.ts"],
  },
  "mysql-drill": {
    about: "backups of MySQL that drills restore, with the binary logs behind them, and its volume that grows",
    folders: [...mysql, ...ofDrills, ...ofGrowth],
  },
  edits: {
    about: "random edits, and whether what a preview says of them comes",
    folders: [
      ...["operator/rollout", "operator/preview", "operator/consequences", "operator/placement"],
      ...["components/workload.ts", "test/edits"],
    ],
  },
  "without-operator": { about: "PostgreSQL while no operator runs, and second runs of it", folders: postgresql },
  "mysql-restore": {
    about: "Databases of MySQL that begin with a backup",
    folders: [...mysql, "agent/restore", "components/restore.ts", "operator/reconcile/restore.ts"],
  },
  admission: {
    about: "two versions, the webhooks and their certificates on a real node",
    folders: ["operator/admission", "operator/api", "infra/webhooks.ts"],
  },
  "mysql-outage": {
    about: "MySQL while no operator runs: its primary or the whole group is killed, or deleted",
    folders: mysql,
  },
  "deployed-operator": {
    about: "the operator in the cluster is replaced, told to stop, killed, frozen and taken away",
    folders: deployed,
  },
  release: {
    about: "a release of the operator over Databases of each engine: nothing restarts that did not agree",
    folders: ["operator/policy", "operator/reconcile", "operator/rollout"],
    files: ["test/e2e/release.test.ts"],
  },
  "full-node": { about: "members that a node has no room for", folders: ["operator/rollout", "operator/placement"] },
  "postgresql-point-in-time": { about: "moments of PostgreSQL, on a volume", folders: [...postgresql, ...moments] },
  "mysql-point-in-time": {
    about: "Databases of MySQL that begin with a moment of another one",
    folders: [...mysql, ...moments],
  },
  "cut-off": { about: "a primary that is cut off from the network", folders: engines },
  linters: {
    about: "what kubeconform, kube-score and kubesec say of what is installed",
    folders: ["components", "infra", "examples"],
    files: ["test/cluster/linters.test.ts"],
  },
  restore: {
    about: "Databases that begin with a backup",
    folders: [
      ...["agent/restore", "agent/postgresql/restore", "images/postgresql"],
      ...["components/restore.ts", "operator/reconcile/restore.ts"],
    ],
  },
  "edits-real": {
    about: "random edits of databases on a real node",
    folders: [
      ...[...engines, "operator/rollout", "operator/preview", "operator/consequences"],
      ...["operator/placement", "test/edits"],
    ],
  },
  "postgresql-decision": {
    about: "commits that wait for no member, or for the only one; the only member with all commits is late, or lost",
    folders: postgresql,
  },
  "session-settings": {
    about: "settings that would stop the members' own programs, or a server's first start",
    folders: engines,
  },
  "postgresql-upgrade": {
    about: "a major upgrade of PostgreSQL, there and back, and its program killed at each step",
    folders: [
      ...["agent/postgresql/upgrade", "agent/postgresql/files", "agent/postgresql/restore", "images/postgresql"],
      ...["agent/postgresql/watch/kept-files.ts", "contract/kept-files.ts", "contract/upgrade-report.ts"],
      ...["components/upgrade.ts", "components/engines/postgresql/upgrade.ts", "operator/domain/upgrade.ts"],
      ...["operator/kube/upgrade-looks.ts", "operator/kube/upgrade-report.ts", "operator/kube/kept-files-note.ts"],
      ...["operator/reconcile/upgrade.ts", "operator/reconcile/upgrade-begin.ts"],
      ...["operator/reconcile/upgrade-declared.ts", "operator/reconcile/upgrade-late.ts"],
      ...["operator/reconcile/upgrade-lost.ts", "operator/reconcile/upgrade-texts.ts"],
    ],
    files: ["test/e2e/postgresql-upgrade.test.ts", "test/e2e/major-upgrades.test.ts"],
  },
  "network-policies": {
    about: "who reaches what where NetworkPolicies are enforced",
    folders: ["components/network.ts", "infra/network.ts"],
  },
  "agent-frozen": { about: "a Patroni that is frozen while its server lives", folders: postgresql },
  "deletion-s3": {
    about: "Databases with object storage that are deleted, and made again over no volumes",
    folders: [
      ...["agent/postgresql/backup", "components/object-storage.ts", "operator/backups"],
      ...["operator/reconcile/final-backup.ts", "operator/reconcile/deletion.ts"],
    ],
  },
  rollout: {
    about: "another template for one Database and for all: which member goes first, and what stops the others",
    folders: ["operator/rollout", "operator/placement", "components/workload.ts"],
    files: ["test/cluster/rollout.test.ts"],
  },
  "drill-s3": {
    about: "backups of PostgreSQL in object storage that drills restore, with the WAL behind them",
    folders: [
      ...[...ofDrills, "agent/postgresql/verify", "agent/postgresql/restore", "agent/postgresql/backup"],
      ...["components/object-storage.ts", "images/postgresql"],
    ],
  },
  "mysql-s3": {
    about: "backups of MySQL in object storage: cut off, restored, tried by drills, and left alone",
    folders: [
      ...[...mysql, ...ofDrills, "agent/object-storage", "components/object-storage.ts", "components/backup.ts"],
      ...["components/restore.ts", "operator/reconcile/restore.ts", "operator/reconcile/restore-source.ts"],
    ],
  },
  monitoring: {
    about: "what Prometheus hears of databases, alerts at rest and where replicas lag, and runbooks",
    folders: [...engines, "infra/monitoring"],
  },
  "api-frozen": { about: "writes while the Kubernetes API hangs", folders: engines },
  "backup-objects": {
    about: "objects of backups: what begins them, how they are recorded, and which stay",
    folders: ["operator/backups", "operator/api/backups", "components/backup.ts"],
    files: ["test/cluster/backups.test.ts"],
  },
  "api-server": {
    about: "an API server that is away, ill, slow or living in the past",
    folders: ["operator/kube", "operator/queue", "operator/stack", "operator/wiring", "resident"],
    files: ["test/faults/api-server.test.ts"],
  },
  tls: { about: "TLS of PostgreSQL, renewed under load", folders: ofTls, files: ["test/e2e/tls.test.ts"] },
  superuser: { about: "who may be superuser, and from where", folders: [...postgresql, ...mysql] },
  "mysql-import": {
    about: "Databases of MySQL that begin with the data of another server",
    folders: [...[...mysql, "agent/import", "agent/restore"], ...ofImports],
  },
  "backups-encrypted": {
    about: "encrypted backups of PostgreSQL, and backups that are tried again",
    folders: ["agent/postgresql/backup", "components/object-storage.ts", "operator/backups", "images/postgresql"],
  },
  harness: {
    about: "what tests themselves stand on: kept platforms, new clusters, real controllers",
    folders: ["test/harness", "tools/cluster"],
    files: [
      ...["test/cluster/platform-template.test.ts", "test/cluster/new-cluster.test.ts"],
      "test/cluster/controllers.test.ts",
    ],
  },
} as const satisfies Readonly<Record<string, Group>>;

export type GroupName = keyof typeof groups;

export const groupNames: readonly GroupName[] = Object.keys(groups).filter(isGroup);

/** The files of tests that belong to a group as a whole, below the root. */
export const wholeFilesOf = (name: GroupName): readonly string[] => {
  const group: Group = groups[name];
  return group.files ?? [];
};

/** Whether a text names a group. */
export function isGroup(text: string): text is GroupName {
  return Object.hasOwn(groups, text);
}
