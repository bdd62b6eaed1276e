// What a preview reads, of a cluster in memory.
import type { Cluster } from "../../operator/preview/cluster";
import { hasComeUp } from "../../operator/reconcile/begun";
import type { FakeCluster } from "./ports";

/** See the header. */
export const readsOf = (cluster: FakeCluster): Cluster => ({
  ...cluster.ports,
  asNow: cluster.ports,
  database: () => Promise.resolve(cluster.object),
  primary: () => Promise.resolve(undefined),
  made: () => Promise.resolve(undefined),
  hasComeUp: () => Promise.resolve(hasComeUp(cluster.observation, cluster.database.status.conditions ?? [])),
  namespaceEnds: () => Promise.resolve(false),
  restoreStep: () => Promise.resolve({ kind: "none" }),
  isTold: () => Promise.resolve(true),
  backups: () => Promise.resolve([]),
  backupRuns: () => Promise.resolve([]),
  hasBackupCronJob: () => Promise.resolve(true),
  lasting: () => Promise.resolve([]),
});
