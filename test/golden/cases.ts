// The databases whose resources are recorded, one file each.
import type { DatabaseArgs } from "../../components";

/** Passwords that must not be found in any golden. */
export const passwords = {
  app: "app-password-in-clear",
  superuser: "superuser-password-in-clear",
  replication: "replication-password-in-clear",
  monitor: "monitor-password-in-clear",
  rest: "rest-password-in-clear",
};

const base = {
  namespace: "production",
  engine: "postgresql",
  version: "17.11",
  image: "docker.io/library/database-operator-postgresql:17.11-0123456789ab",
  passwords,
} as const;

const mysql = {
  ...base,
  engine: "mysql",
  version: "9.7",
  image: "docker.io/library/database-operator-mysql:9.7-0123456789ab",
} as const;

const mongodb = {
  ...base,
  engine: "mongodb",
  version: "7.0",
  image: "docker.io/library/database-operator-mongodb:7.0-0123456789ab",
} as const;

/** Case name to the arguments of `new Database("my-postgres", …)`. */
export const cases: Readonly<Record<string, DatabaseArgs>> = {
  smallest: base,
  "single-member-no-backup": { ...base, replicas: 1, storage: "1Gi", backup: { enabled: false } },
  "no-monitoring": { ...base, replicas: 1, storage: "1Gi", monitoring: { enabled: false } },
  "final-backup": {
    ...base,
    replicas: 1,
    storage: "1Gi",
    finalBackup: "00000000-0000-0000-0000-000000000001/2",
  },
  mongodb: { ...mongodb, replicas: 3, config: { cursorTimeoutMillis: "300000" } },
  "mongodb-single-member": { ...mongodb, replicas: 1, backup: { enabled: false }, monitoring: { enabled: false } },
  everything: {
    ...base,
    replicas: 3,
    storage: "100Gi",
    storageClass: "fast-ssd",
    config: { max_connections: "200", work_mem: "16MB", shared_preload_libraries: "pg_stat_statements" },
    resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } },
    synchronousCommit: true,
    superuserAccess: "Local",
    backup: { enabled: true, schedule: "30 1 * * *", retention: 14, size: "200Gi", storageClass: "slow-hdd" },
    monitoring: { enabled: true, labels: { release: "prometheus", team: "data" }, serviceMonitor: true },
    owner: {
      apiVersion: "example.com/v1",
      kind: "Database",
      name: "my-postgres",
      uid: "00000000-0000-0000-0000-000000000001",
    },
  },
  "strict-commits": {
    ...base,
    storage: "1Gi",
    synchronousCommit: true,
    synchronous: { members: 2, strict: true },
    backup: { enabled: false },
    monitoring: { enabled: false },
  },
  "mysql-smallest": mysql,
  "mysql-everything": {
    ...mysql,
    replicas: 5,
    storage: "100Gi",
    config: { innodb_buffer_pool_size: "3G", long_query_time: "0.5", sql_mode: "STRICT_ALL_TABLES", back_log: "200" },
    resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } },
    synchronousCommit: true,
    superuserAccess: "Network",
    backup: { enabled: true, schedule: "30 1 * * *", retention: 14, size: "200Gi" },
    monitoring: { enabled: true, serviceMonitor: true },
  },
};
