// PostgreSQL, as tests try it.
import { placed, type EngineSample } from "./sample";

/** Of a certificate: it must not be found in any golden. */
export const keyInClear = "key-in-clear";

const certificates = { authorities: "authorities", certificate: "certificate", key: keyInClear };

const strict = {
  storage: "1Gi",
  synchronousCommit: true,
  synchronous: { members: 2, strict: true },
  monitoring: { enabled: false },
};
const upgradeJob = {
  image: "docker.io/library/database-operator-postgresql-upgrade:0123456789ab",
  ...{ from: "15.20", to: "17.11", request: "00000000-0000-0000-0000-000000000001 to 17.11" },
};
const single = { replicas: 1, storage: "1Gi" };

export const postgresql: EngineSample = {
  version: "17.11",
  consensusObjects: ["leader", "failover", "sync"],
  goldens: {
    placed,
    smallest: {},
    "single-member-no-backup": { ...single, backup: { enabled: false } },
    "no-monitoring": { ...single, monitoring: { enabled: false } },
    "final-backup": { ...single, finalBackup: "00000000-0000-0000-0000-000000000001/2" },
    restore: {
      ...{ replicas: 3, storage: "10Gi" },
      restore: {
        claim: "orders-backup",
        label: "orders-20261121T020003Z",
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "kept-wal": { ...single, backup: { pointInTime: true } },
    "restore-to-a-moment-of-a-volume": {
      ...single,
      restore: {
        ...{ claim: "orders-backup", label: "orders-20261121T020003Z", takenBy: "orders" },
        ...{ until: "2026-11-21T12:00:00Z", request: "00000000-0000-0000-0000-000000000001" },
      },
    },
    "restore-to-a-moment": {
      ...single,
      restore: {
        stored: {
          storage: {
            ...{ bucket: "backups", prefix: "prod/shop/orders", endpoint: "https://s3.example.com:9000" },
            ...{ region: "eu-1", pathStyle: true, credentials: "s3", ca: "s3-ca" },
            encryption: "orders-passphrase",
          },
          ...{ cluster: "7712239138577085226", label: "20261121-020003F", until: "2026-11-21T12:00:00Z" },
        },
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    import: {
      ...single,
      restore: {
        server: {
          ...{ host: "old-db.example.com", port: 5432, databases: ["shop"], credentials: "old-db", tls: "Verify" },
          ca: "old-db-ca",
        },
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "upgrade-rehearsal": {
      ...{ replicas: 3, storage: "10Gi", storageClass: "fast-ssd" },
      upgrade: { members: "all", job: { ...upgradeJob, act: "rehearse" } },
    },
    "upgrade-gathering": { ...strict, upgrade: { members: "one" } },
    "upgrade-conversion": {
      ...{ replicas: 3, storage: "10Gi", monitoring: { enabled: false } },
      resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } },
      upgrade: { members: "none", job: { ...upgradeJob, act: "convert" } },
    },
    everything: {
      replicas: 3,
      storage: "100Gi",
      storageClass: "fast-ssd",
      config: { max_connections: "200", work_mem: "16MB", shared_preload_libraries: "pg_stat_statements" },
      resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } },
      synchronousCommit: true,
      superuserAccess: "Local",
      backup: {
        enabled: true,
        schedule: "30 1 * * *",
        retention: 14,
        size: "200Gi",
        storageClass: "slow-hdd",
        kept: ["my-postgres-20261121T020003Z"],
      },
      monitoring: { enabled: true, labels: { release: "prometheus", team: "data" }, serviceMonitor: true },
      owner: {
        apiVersion: "example.com/v1",
        kind: "Database",
        name: "my-postgres",
        uid: "00000000-0000-0000-0000-000000000001",
      },
    },
    "object-storage": {
      ...single,
      backup: {
        s3: {
          ...{ bucket: "backups", prefix: "prod", endpoint: "https://s3.example.com:9000", region: "eu-1" },
          ...{ pathStyle: true, credentials: "s3", ca: "s3-ca", encryption: "backup-passphrase" },
        },
        fullEvery: 3,
        everySeconds: 30,
      },
    },
    tls: {
      ...{
        replicas: 3,
        tls: "Require",
        backup: { s3: { bucket: "b", endpoint: "https://s3.example.com", credentials: "s3" } },
      },
      certificates,
    },
    "tls-preferred": {
      ...{ ...single, tls: "Prefer" },
      certificates,
    },
    "strict-commits": { ...strict, backup: { enabled: false } },
  },
  edits: {
    replicas: [1, 2, 3, 4],
    parameters: {
      max_connections: ["100", "120", "150"],
      max_locks_per_transaction: ["64", "96"],
      track_activity_query_size: ["1024", "2048"],
      work_mem: ["4MB", "9MB"],
      random_page_cost: ["1.1", "2"],
      log_min_duration_statement: ["-1", "1s"],
    },
    tuning: { "tuning-running": { random_page_cost: "1.5" }, "tuning-restart": { max_connections: "110" } },
  },
};
