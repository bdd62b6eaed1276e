// Everything that the reconcile needs, over the real API server and the real Pulumi.
import type { Logger } from "pino";
import type { Config } from "../config";
import { keep } from "../checkpoint/kept";
import { createBackupObjects } from "../kube/backup-objects";
import { ClusterChildren } from "../kube/children";
import type { KubeClient } from "../kube/client";
import { createConfigSource } from "../kube/config-source";
import { createCredentials } from "../kube/credentials";
import { createServerCertificates } from "../kube/server-certificates";
import { createLastLook } from "../kube/last-look";
import { createRecall } from "../kube/recall";
import { ClusterMembers } from "../kube/members";
import { ClusterUpgradeLooks } from "../kube/upgrade-looks";
import { createVolumes } from "../kube/volumes";
import { openPlacement } from "../kube/placement";
import type { LiveWorld } from "../kube/world";
import type { Metrics } from "../metrics/metrics";
import type { StackRecords } from "../domain/records";
import type { Databases, Ports } from "../domain/ports";
import type { ResidentPreviews } from "../preview/resident";
import { foresee } from "./foresee";
import { logRestart, logRun } from "./reporting";
import { DeletionLookMemory } from "../reconcile/deletion-looks";
import type { FleetMemory } from "../rollout/fleet";
import { engines } from "../stack/engines";
import { declaredTemplate } from "../stack/member-template";
import { digestOf } from "../stack/program";
import { programVersion } from "../stack/program-version";

/** What is created before the ports are, and shared with others. */
export interface ReconcileWiring {
  readonly world: LiveWorld;
  readonly records: StackRecords;
  readonly databases: Databases;
  readonly stacks: Ports["stacks"];
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly fleet: FleetMemory;
  readonly previews: ResidentPreviews;
  readonly lastRevision: Ports["lastRevision"];
}

/** See the header. `client` writes only while this operator leads. */
export function openPorts(
  client: KubeClient,
  config: Config,
  { world, records, databases, stacks, signal, log, metrics, fleet, previews, lastRevision }: ReconcileWiring,
): Ports {
  const store = { client, namespace: config.namespace };
  return {
    world,
    databases,
    records,
    firstRuns: new Set(),
    credentials: createCredentials(store),
    certificates: createServerCertificates(store, { terms: config.certificates, now: () => new Date() }),
    children: new ClusterChildren(client),
    lastLook: createLastLook(client),
    backups: createBackupObjects(client),
    deletionLooks: new DeletionLookMemory(),
    members: new ClusterMembers(client),
    upgrades: new ClusterUpgradeLooks(client),
    fleet,
    placement: openPlacement(client, config),
    volumes: createVolumes(client),
    configSource: createConfigSource(client),
    engines,
    stacks,
    keep,
    digest: digestOf(programVersion()),
    release: programVersion(),
    memberTemplate: declaredTemplate,
    foresee: foresee(previews),
    changes: config.changes,
    lastRevision,
    recall: createRecall(client),
    now: () => new Date(),
    signal,
    onRun: (run) => {
      metrics.ran(run);
      logRun(log, run);
    },
    onDrift: (note) => {
      metrics.drifted(note);
    },
    onRestart: (note) => {
      metrics.restarted(note);
      logRestart(log, note);
    },
  };
}
