// What is measured: where backups of which engine go, and the steps of each. Plain data.
import type { EngineName } from "../availability/matrix";

/** What one line of results is about. */
export const stepNames = ["backup", "restore", "moment"] as const;
export type StepName = (typeof stepNames)[number];

/** What gets SIGKILL, once, while a step is in progress. `job`: all processes in the pod of its Job; `pod`: that pod, deleted by force. */
export const kills = ["nothing", "operator", "job", "pod"] as const;
export type Kill = (typeof kills)[number];

export interface Scenario {
  readonly engine: EngineName;
  /** Where backups go. */
  readonly to: "object storage" | "volume";
  readonly steps: readonly StepName[];
  /** What a person would run instead, with the same result. */
  readonly bare: { readonly backup: string; readonly restore: string };
}

export const scenarioNames = ["postgresql-s3", "postgresql-volume", "mysql-volume"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  "postgresql-s3": {
    engine: "postgresql",
    to: "object storage",
    steps: ["backup", "restore", "moment"],
    bare: {
      backup: "`pgbackrest backup --type=full`, then `pgbackrest verify` of it, in the member's pod",
      restore: "`pgbackrest restore` onto the same volume, then `postgres` until it has replayed all WAL that is there",
    },
  },
  "postgresql-volume": {
    engine: "postgresql",
    to: "volume",
    steps: ["backup", "restore"],
    bare: {
      backup: "`pg_basebackup`, then `pg_verifybackup`, in a pod with the backup volume and the limits of the Job",
      restore:
        "`cp -a`, `pg_verifybackup`, `postgres` until it accepts connections, then `sync`, in a pod with both volumes and the limits of a member",
    },
  },
  "mysql-volume": {
    engine: "mysql",
    to: "volume",
    steps: ["backup", "restore"],
    bare: {
      backup:
        "`CLONE INSTANCE` by a server of one's own, which is made for it, `sha256sum` of all files, then `sync`, in a pod with the backup volume and the limits of the Job",
      restore:
        "`cp -a`, `sha256sum` of all files, `mysqld` until it answers, then `sync`, in a pod with both volumes and the limits of a member",
    },
  },
};

export const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);
