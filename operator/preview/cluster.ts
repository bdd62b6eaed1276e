// What a preview reads of the cluster: the operator's own code, over a client that writes nothing.
import { z } from "zod";
import { fieldManager, initJobName, memberSelector, roleSelector, statefulSetName } from "../../components/naming";
import type { Assumed } from "../api/assumed";
import type { Catalogue } from "../api/catalogue";
import { catalogueIn } from "../kube/catalogue";
import { childKinds, childName } from "../kube/child-kinds";
import { ClusterChildren, labelled, leftoversOf } from "../kube/children";
import type { DatabaseBackup } from "../api/backups/object";
import type { Database } from "../api/object";
import { statusOf } from "../api/stored-status";
import type { BackupRun } from "../domain/backups";
import { backupsOf, createBackupObjects } from "../kube/backup-objects";
import { backupRunsOf, cronJobOf } from "../kube/backup-writes";
import { ApiError, type Access } from "../kube/client";
import { createConfigSource } from "../kube/config-source";
import { databaseTerms } from "../certificates/rotation";
import { createCredentials } from "../kube/credentials";
import { createServerCertificates } from "../kube/server-certificates";
import { createLastLook } from "../kube/last-look";
import { ClusterMembers } from "../kube/members";
import { jobOf } from "../kube/observe";
import { ensureStateKey } from "../kube/operator-secrets";
import { collection, item, resources, selectorText } from "../kube/paths";
import { ClusterUpgradeLooks } from "../kube/upgrade-looks";
import { createPlacement } from "../kube/placement";
import { createRecall } from "../kube/recall";
import { createStackRecords } from "../kube/stack-records";
import { placeOf, type Key } from "../domain/key";
import type { Observation } from "../domain/members";
import type { Ports, World } from "../domain/ports";
import { hasComeUp } from "../reconcile/begun";
import { restoreStep, type RestoreStep } from "../reconcile/restore";
import { engines } from "../stack/engines";
import { createVolumes } from "../kube/volumes";
import { assuming, type Inputs } from "./assumed";
import { DryClient } from "./dry-client";
import { platformPolicies } from "./platform-policies";
import type { PlatformPolicies } from "./policy-note";
import { catalogueMap } from "../../contract/platform";
import type { Lasting } from "../consequences/deletion";
import type { MadeMembers } from "../consequences/revisions";

/** The parts of the operator's ports that only read, and what a preview asks beside. */
export interface Cluster extends Pick<
  Ports,
  | "world"
  | "records"
  | "credentials"
  | "certificates"
  | "children"
  | "configSource"
  | "engines"
  | "placement"
  | "volumes"
  | "upgrades"
  | "recall"
> {
  /** What decides now, where something else is assumed. */
  readonly asNow: Inputs;
  readonly members: Pick<Ports["members"], "read">;
  readonly lastLook: Pick<Ports["lastLook"], "finalBackup">;
  readonly isTold: Ports["backups"]["isTold"];
  /** The Database as it is; undefined where there is none. */
  database(key: Key): Promise<unknown>;
  /** Name of the member that is primary; undefined where none is. */
  primary(key: Key): Promise<string | undefined>;
  /** What the present members were created from; undefined where there are none, or this person may not look. */
  made(key: Key): Promise<MadeMembers | undefined>;
  /** Whether members have ever served. */
  hasComeUp(key: Key): Promise<boolean>;
  namespaceEnds(key: Key): Promise<boolean>;
  /** What of a backup would be copied before there are members. */
  restoreStep(database: Database): Promise<RestoreStep>;
  /** The DatabaseBackups of a Database, or of the name of one; undefined where the cluster does not know them. */
  backups(key: Key): Promise<readonly DatabaseBackup[] | undefined>;
  /** The Jobs that take backups of a Database, or took some. */
  backupRuns(key: Key): Promise<readonly BackupRun[]>;
  /** Whether there is a CronJob to make a Job of a backup from. */
  hasBackupCronJob(key: Key): Promise<boolean>;
  /** Children that outlive their Database under some deletion policy. */
  lasting(key: Key): Promise<readonly Lasting[]>;
}

/** What the person who previews may read of a cluster. */
export interface OpenCluster extends Cluster {
  /** Key of the stacks' secrets; a new one where there is none, which fits no state. */
  readonly passphrase: string;
  /** By the operator's Deployment; undefined where there is none, or this person may not read it. */
  readonly policies: PlatformPolicies | undefined;
  close(): Promise<void>;
}

/** Reads through `access`; `namespace` is the operator's. */
export async function openCluster(access: Access, namespace: string, assumed: Assumed = {}): Promise<OpenCluster> {
  const client = new DryClient(access, fieldManager);
  const [configMap, monitoring, passphrase, policies] = await Promise.all([
    client.find(item(resources.configMaps, namespace, catalogueMap.name)),
    // every user may ask which kinds there are
    client.find(resources.serviceMonitors.prefix),
    ensureStateKey({ client, namespace }),
    platformPolicies(client, namespace),
  ]);
  const known = {
    catalogue: configMap === undefined ? {} : catalogueIn(configMap),
    serviceMonitors: monitoring !== undefined,
  };
  const cluster = clusterThrough(client, namespace, { ...known, placement: createPlacement(client), assumed });
  return { ...cluster, passphrase, policies, close: () => client.close() };
}

/** What is known before a preview begins. */
export interface KnownBefore extends Pick<World, "catalogue" | "serviceMonitors"> {
  readonly placement: Ports["placement"];
  /** Default: nothing. */
  readonly assumed?: Assumed | undefined;
}

/** A look at the cluster as it is now: each preview gets its own, as nothing is read twice. */
export function clusterThrough(
  client: DryClient,
  namespace: string,
  { placement, catalogue, serviceMonitors, assumed = {} }: KnownBefore,
): Cluster {
  const store = { client, namespace };
  const asNow = { world: worldWith(catalogue, serviceMonitors), configSource: createConfigSource(client) };
  const { world, configSource } = assuming(asNow, assumed);
  const records = createStackRecords(store);
  const children = new ClusterChildren(client);
  const lastLook = createLastLook(client);
  const backupObjects = createBackupObjects(client);
  const restoring = { world, records, lastLook, backups: backupObjects };
  const database = (key: Key): Promise<unknown> =>
    client.find(item(resources.databases, placeOf(key).namespace, placeOf(key).name));
  return {
    world,
    asNow,
    records,
    credentials: createCredentials(store),
    certificates: createServerCertificates(store, { terms: databaseTerms, now: () => new Date(), looksOnly: true }),
    children,
    configSource,
    engines,
    placement,
    volumes: createVolumes(client),
    members: new ClusterMembers(client),
    upgrades: new ClusterUpgradeLooks(client),
    lastLook,
    recall: createRecall(client),
    isTold: (key, wish) => backupObjects.isTold(key, wish),
    database,
    primary: (key) => primaryOf(client, key),
    made: (key) => madeMembers(client, key),
    hasComeUp: async (key) => hasComeUp(await observed(client, key), statusOf(await database(key)).conditions ?? []),
    namespaceEnds: (key) => lastLook.namespaceEnds(key),
    restoreStep: async (database) => {
      const { namespace, name } = database.metadata;
      const key: Key = `${namespace}/${name}`;
      // members that there are have data, also where the record of them was lost
      const { claimTemplateStorage } = await children.claimTemplate(key);
      const isLost = claimTemplateStorage !== undefined && (await records.load(key)) === undefined;
      return isLost ? { kind: "none" } : restoreStep(key, database, restoring);
    },
    backups: (key) => backupsOf(client, placeOf(key)),
    backupRuns: (key) => backupRunsOf(client, placeOf(key)),
    hasBackupCronJob: async (key) => (await cronJobOf(client, placeOf(key))) !== undefined,
    lasting: (key) => lasting(client, key),
  };
}

/** A world in which no object is remembered: each is read from the API server. */
const worldWith = (catalogue: Catalogue, serviceMonitors: boolean): World => ({
  catalogue,
  serviceMonitors,
  database: () => undefined,
  observe: () => ({ workload: undefined, members: [], jobs: [] }),
  children: () => new Map(),
  goingPods: () => [],
  // those of the last run
  keptBackups: () => undefined,
});

async function primaryOf(client: DryClient, key: Key): Promise<string | undefined> {
  const { namespace, name } = placeOf(key);
  return (await labelled(client, collection(resources.pods, namespace), roleSelector(name, "primary")))[0]?.name;
}

/** Members, and the Job that comes first. */
async function observed(client: DryClient, key: Key): Promise<Observation> {
  const { namespace, name } = placeOf(key);
  const [{ workload, members }, first] = await Promise.all([
    new ClusterMembers(client).read(key),
    client.find(item(resources.jobs, namespace, initJobName(name))),
  ]);
  const job = first === undefined ? undefined : jobOf(first);
  return { workload, members, jobs: job === undefined ? [] : [job] };
}

const Templated = z.object({ metadata: z.object({ uid: z.string() }), spec: z.object({ template: z.unknown() }) });
const Revisions = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), ownerReferences: z.array(z.object({ uid: z.string() })).default([]) }),
      data: z.object({ spec: z.object({ template: z.looseObject({}) }) }),
    }),
  ),
});

async function madeMembers(client: DryClient, key: Key): Promise<MadeMembers | undefined> {
  const { namespace, name } = placeOf(key);
  const query = { labelSelector: selectorText(memberSelector(name)) };
  try {
    const [workload, found, { members }] = await Promise.all([
      client.find(item(resources.statefulSets, namespace, statefulSetName(name))),
      client.get(collection(resources.controllerRevisions, namespace), { query }),
      new ClusterMembers(client).read(key),
    ]);
    if (workload === undefined) return undefined;
    const { metadata, spec } = Templated.parse(workload);
    const own = Revisions.parse(found).items.filter(({ metadata: { ownerReferences } }) =>
      ownerReferences.some(({ uid }) => uid === metadata.uid),
    );
    return {
      template: spec.template,
      revisions: new Map(own.map(({ metadata: revision, data }) => [revision.name, templateIn(data.spec.template)])),
      members: new Map(members.map((member) => [member.name, member.revision])),
    };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** Without the mark by which a revision replaces the template whole. */
const templateIn = (template: object): unknown =>
  Object.fromEntries(Object.entries(template).filter(([name]) => name !== "$patch"));

async function lasting(client: DryClient, key: Key): Promise<readonly Lasting[]> {
  const place = placeOf(key);
  const found = await Promise.all(
    childKinds.map(async (kind) => {
      const { keptWith } = kind;
      if (keptWith === undefined) return [];
      const left = await leftoversOf(client, kind, place);
      return left.flatMap(({ name }) => {
        const by = keptWith(name, place.name);
        return by === undefined ? [] : [{ child: childName(kind, name), keptWith: by }];
      });
    }),
  );
  return found.flat().sort((left, right) => (left.child < right.child ? -1 : 1));
}
