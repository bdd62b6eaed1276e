// MySQL, as tests try it.
import { placed, type EngineSample } from "./sample";

export const mysql: EngineSample = {
  version: "9.7",
  consensusObjects: ["group"],
  goldens: {
    "mysql-placed": placed,
    "mysql-smallest": {},
    "mysql-restore": {
      ...{ replicas: 3, storage: "10Gi" },
      restore: {
        claim: "orders-backup",
        label: "orders-20261121T020003Z",
        takenBy: "orders",
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mysql-restore-to-a-moment": {
      ...{ replicas: 3, storage: "10Gi" },
      restore: {
        claim: "orders-backup",
        label: "orders-20261121T020003Z",
        takenBy: "orders",
        until: "2026-11-25T08:34:00.5Z",
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mysql-object-storage": {
      ...{ replicas: 3, storage: "10Gi" },
      backup: {
        s3: {
          ...{ bucket: "backups", prefix: "prod", endpoint: "https://s3.example.com:9000", region: "eu-1" },
          ...{ pathStyle: true, credentials: "s3", ca: "s3-ca", encryption: "backup-passphrase" },
        },
      },
    },
    "mysql-restore-from-object-storage": {
      ...{ replicas: 3, storage: "10Gi" },
      restore: {
        stored: {
          storage: {
            bucket: "backups",
            prefix: "prod/shop/orders",
            endpoint: "https://s3.example.com",
            credentials: "s3",
          },
          ...{ cluster: "7d6f4c1e-0000-4000-8000-000000000001", label: "orders-20261121T020003Z", until: "backup" },
        },
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mysql-import": {
      ...{ replicas: 1, storage: "1Gi", backup: { enabled: false }, monitoring: { enabled: false } },
      restore: {
        server: {
          ...{ host: "old-db.example.com", port: 3306, databases: ["shop", "stock"], credentials: "old-db" },
          ...{ tls: "Verify", ca: "old-db-ca" },
        },
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mysql-everything": {
      replicas: 5,
      storage: "100Gi",
      config: { innodb_buffer_pool_size: "3G", long_query_time: "0.5", sql_mode: "STRICT_ALL_TABLES", back_log: "200" },
      resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } },
      synchronousCommit: true,
      superuserAccess: "Network",
      backup: { enabled: true, schedule: "30 1 * * *", retention: 14, size: "200Gi", pointInTime: true },
      monitoring: { enabled: true, serviceMonitor: true },
    },
  },
  edits: {
    replicas: [1, 3, 4],
    parameters: {
      back_log: ["120", "200"],
      innodb_purge_threads: ["1", "2"],
      max_connections: ["90", "110"],
      long_query_time: ["0.5", "2"],
      sort_buffer_size: ["131072", "262144"],
    },
    tuning: { "tuning-running": { long_query_time: "3" }, "tuning-restart": { back_log: "150" } },
  },
};
