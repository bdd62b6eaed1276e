// Folders and files, below the root, that several groups of tests are about.

export const postgresql = [
  "components/engines/postgresql",
  "components/engines/postgresql.ts",
  "images/postgresql",
  "agent/postgresql",
];
export const mysql = ["components/engines/mysql", "components/engines/mysql.ts", "images/mysql", "agent/mysql"];
export const mongodb = [
  "components/engines/mongodb",
  "components/engines/mongodb.ts",
  "images/ferretdb",
  "agent/mongodb",
];
export const engines = ["components/engines", "contract", "agent", "images"];
/** What restores to moments need, whatever the engine. */
export const moments = [
  ...["components/archive.ts", "components/restore.ts", "components/origin-environment.ts"],
  ...["operator/reconcile/archive.ts", "operator/reconcile/restore-source.ts"],
];
export const ofImports = [
  ...["components/restore.ts", "components/source-server.ts", "components/origin-environment.ts"],
  ...["operator/reconcile/restore.ts", "operator/reconcile/import-source.ts", "operator/reconcile/beginnings.ts"],
  "operator/kube/import-report.ts",
];
export const ofDrills = [
  ...["agent/verify", "agent/restore", "components/verification.ts", "contract/verification-report.ts"],
  ...["operator/reconcile/verified.ts", "operator/backups"],
];
export const ofGrowth = ["agent/volume", "operator/reconcile/storage.ts", "operator/reconcile/growth.ts"];
export const node = ["tools/cluster"];
export const deployed = ["operator/leadership", "operator/main.ts", "operator/wiring", "images/operator", "infra"];
