// MongoDB, as tests try it.
import { placed, type EngineSample } from "./sample";

export const mongodb: EngineSample = {
  version: "7.0",
  consensusObjects: ["replica-set"],
  goldens: {
    "mongodb-placed": placed,
    mongodb: { replicas: 3, config: { cursorTimeoutMillis: "300000" } },
    "mongodb-restore": {
      ...{ replicas: 3, storage: "10Gi" },
      restore: {
        claim: "orders-backup",
        label: "orders-20261121T020003Z",
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mongodb-import": {
      ...{ replicas: 1, storage: "1Gi", backup: { enabled: false }, monitoring: { enabled: false } },
      restore: {
        server: { host: "old-db", port: 27017, databases: ["shop"], credentials: "old-db", tls: "Disable" },
        request: "00000000-0000-0000-0000-000000000001",
      },
    },
    "mongodb-single-member": { replicas: 1, backup: { enabled: false }, monitoring: { enabled: false } },
  },
  edits: {
    replicas: [1, 2, 3],
    parameters: {
      "net.maxIncomingConnections": ["500", "600"],
      "systemLog.verbosity": ["0", "1"],
      cursorTimeoutMillis: ["300000", "600000"],
      ttlMonitorSleepSecs: ["60", "90"],
    },
    tuning: {
      "tuning-running": { cursorTimeoutMillis: "400000" },
      "tuning-restart": { "net.maxIncomingConnections": "550" },
    },
  },
};
