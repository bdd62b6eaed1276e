// The reconcile's ports in memory: time, failures and half-finished deletions are scripted here and nowhere else.
import { ObservedDatabase } from "../../operator/domain/observed-database";
import { FleetMemory } from "../../operator/rollout/fleet";
import type { Catalogue } from "../../operator/api/catalogue";
import type { DatabaseBackup } from "../../operator/api/backups/object";
import { finalizer } from "../../operator/api/lifecycle";
import { metadataOf, type DatabaseMetadata } from "../../operator/api/object";
import type { DatabaseStatus } from "../../operator/api/status";
import { DeletionLookMemory } from "../../operator/reconcile/deletion-looks";
import type { Key } from "../../operator/domain/key";
import type { Eviction, JobRun, Member, MembersNow, Observation } from "../../operator/domain/members";
import type { ChildName, Inspection, Keep, ObservedChild } from "../../operator/domain/children";
import { OutdatedRecord, type StackRecord } from "../../operator/domain/records";
import type { DatabaseEvent, DriftNote, Ports, RestartNote } from "../../operator/domain/ports";
import type { DatabaseProgram } from "../../operator/domain/desired";
import type { Upgrade } from "../../operator/domain/upgrade";
import type { Changes, RunRequest, StackResult } from "../../operator/domain/runner";
import { checkpointOf, kept } from "./checkpoints";
import { FakeCertificates } from "./certificates";
import { fakeEngines } from "./engines";
import { FakeForesight } from "./foresight";
import { observedFrom } from "./observed";
import { FakeVolumes } from "./volumes";
import type { UpgradeLook } from "./upgrade-look";

export const nothingObserved: Observation = { workload: undefined, members: [], jobs: [] };

/** A member that serves, created from the template `new`. */
export const memberOf = (name: string, some: Partial<Member> = {}): Member => ({
  ...{ name, namespace: "team", database: "shop", uid: `uid of ${name}`, revision: "new", role: "replica" },
  ...{ ready: true, streaming: true, problem: undefined, failure: undefined, served: true, terminating: false },
  ...some,
});

const freshFrom = ({ workload, members }: Observation): MembersNow => ({
  workload,
  members: members.map((member) => ({ ...member, resourceVersion: "1" })),
});

/** What a run changed, all zero but what is given. */
export const changes = (some: Partial<Changes> = {}): Changes => ({
  created: 0,
  updated: 0,
  deleted: 0,
  replaced: 0,
  unchanged: 0,
  ...some,
});

export interface FakeObject {
  metadata: Record<string, unknown> & {
    name: string;
    namespace: string;
    finalizers: string[];
    generation: number;
    resourceVersion: string;
  };
  spec: Record<string, unknown>;
  status?: DatabaseStatus;
}

/** A Database as the API server would send it. */
export function databaseObject(spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): FakeObject {
  return {
    metadata: {
      ...{ name: "shop", namespace: "team", uid: "uid-1", resourceVersion: "1" },
      generation: 1,
      finalizers: [],
      ...metadata,
    },
    spec: { engine: "postgresql", version: "17.6", ...spec },
  };
}

type UpRequest = RunRequest<DatabaseProgram>;

/** A cluster of one Database, `team/shop`, whose every part can be scripted. */
export class FakeCluster {
  readonly key: Key = "team/shop";
  /** Other Databases, by key; one that has run has a record. */
  readonly neighbors = new Map<Key, { readonly record?: StackRecord }>();
  object: FakeObject | undefined;
  observation: Observation = nothingObserved;
  catalogue: Catalogue = { postgresql: { "17.6": { image: "postgresql:17.6" }, "17.5": { image: "postgresql:17.5" } } };
  serviceMonitors = false;
  configMaps = new Map<string, Record<string, string>>();
  record: StackRecord | undefined;
  passwordsOfRecord: string | undefined;
  /** What is kept of them where the namespace ends. */
  retired: { readonly secret: string; readonly volumes: readonly string[] } | undefined;
  readonly firstRuns = new Set<Key>();
  conflicts: string[] = [];
  /** Children that exist and that are in no state. */
  ours: string[] = [];
  readonly driftNotes: DriftNote[] = [];
  /** What was removed because it is in no state. */
  readonly removed: ChildName[] = [];
  /** Found only when nothing is known to be ours. */
  conflictsWithoutState: string[] = [];
  /** Whether successive saves of the record fail. */
  saveFailures: boolean[] = [];
  /** Whether the local copy of the object stays as it is. */
  watchLags = false;
  /** What the watches show of the children; undefined: all as the last run left it. */
  observed: ReadonlyMap<ChildName, ObservedChild> | undefined;
  /** What a look at suspects finds. */
  inspection: Inspection = { drift: [], conflicts: [], terminating: [] };
  readonly inspected: (readonly ChildName[])[] = [];
  /** Of a StatefulSet that exists already. */
  claimTemplateStorage: string | undefined;
  /** What successive sweeps report as not gone yet. */
  leftovers: string[][] = [];
  /** What successive looks at members that must stop report as not gone yet. */
  stopping: string[][] = [];
  /** What a sweep leaves alone. */
  strangers: string[] = [];
  swept: Keep[] = [];
  /** Labels of backups that people want to keep; undefined: the watches do not know. */
  keptBackups: readonly string[] | undefined = [];
  /** Pods that the watches show to be on their way out. */
  goingPods: string[] = [];
  /** How often a last look was taken. */
  lastLooks = 0;
  /** What a last look before a deletion finds; the last backup's Job answers any wish. */
  lastLook: {
    ending: boolean;
    /** The Database as it is read again. Default: as the watch shows it. */
    object?: object;
    namespaceEnds: boolean;
    hasData: boolean;
    held: string[];
    consensus: string[];
    restore?: JobRun["state"] | undefined;
    finalBackup?: JobRun["state"];
  } = { ending: true, namespaceEnds: false, hasData: true, held: [], consensus: [] };
  /** Jobs that fill the first volume and were asked about. */
  readonly fillingJobs: string[] = [];
  /** What a step of a major upgrade finds; its Job answers any request. */
  upgradeLook: UpgradeLook = { occupants: 1 };
  readonly upgradeRequests: string[] = [];
  /** What the StatefulSet says of one. */
  declaredUpgrade: Upgrade | undefined;
  /** Whether a DatabaseBackup says that the last backup succeeded. */
  isBackupTold = true;
  /** The DatabaseBackups of the namespace, and whether there is a volume, or which object storage, that they could be on. */
  backups: readonly DatabaseBackup[] = [];
  hasBackupVolume = true;
  /** Jobs of restore drills that were ended. */
  readonly endedDrills: string[] = [];
  backupStorage: Awaited<ReturnType<Ports["backups"]["storage"]>>;
  /** The keys of some Secrets by which it is opened; nothing is known of others. */
  readonly storageSecrets = new Map<string, ReadonlySet<string>>();
  /** Databases whose DatabaseBackups were removed. */
  readonly unrecorded: Key[] = [];
  /** What is read again of members. Default: as the watches show it. */
  membersNow: MembersNow | undefined;
  /** Answers to successive evictions; when used up, they begin. */
  evictions: Eviction[] = [];
  readonly evicted: string[] = [];
  /** Databases whose restarts were held back, and that must be looked at. */
  readonly woken: string[] = [];
  /** Claims for which a caller asked whether a node could take their member, and the answer. */
  readonly placed: string[] = [];
  noPlace: string | undefined;
  readonly volumes = new FakeVolumes();
  /** What is known of changes before they are carried out. */
  readonly foresight = new FakeForesight(() => this);
  readonly certificates = new FakeCertificates();
  /** The present time. */
  now = new Date("2026-01-01T00:00:00.500Z");
  readonly restartNotes: RestartNote[] = [];
  saves = 0;
  readonly ups: UpRequest[] = [];
  readonly destroys: Omit<UpRequest, "program">[] = [];
  /** Answers of successive runs; when used up, runs succeed. */
  results: StackResult[] = [];
  readonly statuses: DatabaseStatus[] = [];
  readonly events: DatabaseEvent[] = [];
  /** Ports that dropped what they remembered of a Database, as `port key`. */
  readonly forgotten: string[] = [];
  readonly ports: Ports;

  constructor(object: FakeObject | undefined = databaseObject()) {
    this.object = object;
    this.ports = this.#makePorts();
  }

  get finalizers(): string[] {
    return this.object?.metadata.finalizers ?? [];
  }

  #result(request: { checkpoint: string | undefined }): StackResult {
    const created = request.checkpoint === undefined ? 12 : 0;
    return (
      this.results.shift() ?? {
        kind: "succeeded",
        changes: changes({ created }),
        checkpoint: checkpointOf("StatefulSet shop", "Service shop"),
        workload: undefined,
      }
    );
  }

  #makePorts(): Ports {
    return {
      world: this.#world(),
      databases: this.#databases(),
      records: {
        load: (key) => Promise.resolve(key === this.key ? this.record : this.neighbors.get(key)?.record),
        save: (_key, record) => {
          const isOutdated = record.version !== (this.record?.version ?? "");
          if (this.saveFailures.shift() === true || isOutdated) return Promise.reject(new OutdatedRecord("conflict"));
          this.saves++;
          this.record = { ...record, version: String(Number(record.version) + 1) };
          return Promise.resolve(this.record);
        },
        remove: () => ((this.record = undefined), Promise.resolve()),
        forget: (key) => void this.forgotten.push(`records ${key}`),
      },
      ...{ firstRuns: this.firstRuns, volumes: this.volumes, engines: fakeEngines, certificates: this.certificates },
      credentials: {
        ensure: () => {
          this.passwordsOfRecord ??= "secret";
          const some = this.passwordsOfRecord;
          return Promise.resolve({ app: some, superuser: some, replication: some, monitor: some, rest: some });
        },
        remove: () => ((this.passwordsOfRecord = undefined), Promise.resolve()),
        retire: () => ((this.passwordsOfRecord = undefined), Promise.resolve(this.retired)),
      },
      children: {
        inspect: (_key, suspects) => (this.inspected.push([...suspects.keys()]), Promise.resolve(this.inspection)),
        claimTemplate: () => Promise.resolve({ claimTemplateStorage: this.claimTemplateStorage }),
        prepareAdoption: () => Promise.resolve({ claimTemplateStorage: this.claimTemplateStorage }),
        standing: (_key, _desired, known) => {
          const withoutState = known.size === 0 && this.ups.length > 1 ? this.conflictsWithoutState : [];
          return Promise.resolve({
            conflicts: [...this.conflicts, ...withoutState],
            ours: new Map(this.ours.map((child) => [child, `uid of ${child}`])),
          });
        },
        existing: (_key, children) => Promise.resolve(children.filter((child) => this.ours.includes(child))),
        remove: (_key, children) => (this.removed.push(...children), Promise.resolve()),
        stopMembers: () => Promise.resolve(this.stopping.shift() ?? []),
        sweep: (_key, keep) => {
          this.swept.push(keep);
          return Promise.resolve({ left: this.leftovers.shift() ?? [], strangers: this.strangers });
        },
      },
      lastLook: {
        ending: () => {
          const object = this.lastLook.object ?? this.object;
          const isEnding = this.lastLook.ending && object !== undefined;
          return Promise.resolve(isEnding ? new ObservedDatabase(object) : undefined);
        },
        namespaceEnds: () => (this.lastLooks++, Promise.resolve(this.lastLook.namespaceEnds)),
        hasData: () => Promise.resolve(this.lastLook.hasData),
        held: () => Promise.resolve(this.lastLook.held),
        consensus: () => Promise.resolve(this.lastLook.consensus),
        restore: (_key, { job }) => (this.fillingJobs.push(job), Promise.resolve(this.lastLook.restore)),
        finalBackup: () => Promise.resolve(this.lastLook.finalBackup),
      },
      members: {
        read: () => Promise.resolve(this.membersNow ?? freshFrom(this.observation)),
        evict: (member) => {
          this.evicted.push(member.name);
          return Promise.resolve(this.evictions.shift() ?? { kind: "begun" });
        },
        forget: (key) => void this.forgotten.push(`members ${key}`),
      },
      upgrades: {
        occupants: () => Promise.resolve(this.upgradeLook.occupants),
        job: (_key, request) => (this.upgradeRequests.push(request), Promise.resolve(this.upgradeLook.job)),
        leadsAlone: () => Promise.resolve(this.upgradeLook.leadsAlone ?? true),
        isInitialized: (_key, image) => Promise.resolve(this.upgradeLook.initialized === image),
        declared: () => Promise.resolve(this.declaredUpgrade),
      },
      backups: {
        all: () => Promise.resolve(this.backups),
        hasClaim: () => Promise.resolve(this.hasBackupVolume),
        storage: () => Promise.resolve(this.backupStorage),
        secretKeys: (_namespace, name) => Promise.resolve(this.storageSecrets.get(name) ?? "hidden"),
        isTold: () => Promise.resolve(this.isBackupTold),
        remove: (key) => (this.unrecorded.push(key), Promise.resolve()),
        endDrill: (_key, job) => (this.endedDrills.push(job), Promise.resolve()),
      },
      deletionLooks: new DeletionLookMemory(),
      fleet: new FleetMemory({ atOnce: 3, wake: (key) => this.woken.push(key) }),
      placement: {
        problemOf: (_requests, _namespace, claims) => {
          this.placed.push(...claims);
          return Promise.resolve(this.noPlace);
        },
      },
      configSource: (namespace, name) => Promise.resolve(this.configMaps.get(`${namespace}/${name}`)),
      stacks: {
        up: (request) => (this.ups.push(request), Promise.resolve(this.#result(request))),
        destroy: (request) => (this.destroys.push(request), Promise.resolve(this.#result(request))),
      },
      keep: (checkpoint) => Promise.resolve(kept(checkpoint)),
      ...this.foresight.ports,
      ...{ now: () => this.now, signal: new AbortController().signal, onRun: () => undefined },
      onDrift: (note) => this.driftNotes.push(note),
      onRestart: (note) => this.restartNotes.push(note),
    };
  }

  /** The Database as it is at the moment. */
  get database(): ObservedDatabase {
    return new ObservedDatabase(this.object);
  }

  #world(): Ports["world"] {
    // read at every call, as the local copies are
    const read = { catalogue: () => this.catalogue, serviceMonitors: () => this.serviceMonitors };
    return {
      database: (key) => {
        if (key !== this.key) return this.neighbors.has(key) ? new ObservedDatabase(databaseObject()) : undefined;
        return this.object && this.database;
      },
      observe: () => this.observation,
      goingPods: () => this.goingPods,
      keptBackups: () => this.keptBackups,
      children: () => this.observed ?? observedFrom(this.record?.checkpoint?.text() ?? ""),
      get catalogue() {
        return read.catalogue();
      },
      get serviceMonitors() {
        return read.serviceMonitors();
      },
    };
  }

  #databases(): Ports["databases"] {
    const setFinalizers = (metadata: DatabaseMetadata, finalizers: string[]): Promise<void> => {
      if (this.object && metadataOf(this.object).uid === metadata.uid) this.object.metadata.finalizers = finalizers;
      return Promise.resolve();
    };
    return {
      addFinalizer: (metadata) => setFinalizers(metadata, [...new Set([...this.finalizers, finalizer])]),
      removeFinalizer: (metadata) =>
        setFinalizers(
          metadata,
          this.finalizers.filter((name) => name !== finalizer),
        ),
      writeStatus: (_metadata, { previous, statusAfter }) => {
        const status = statusAfter(previous);
        this.statuses.push(status);
        if (this.object && !this.watchLags) this.object.status = status;
        const version = this.watchLags ? "2" : this.object?.metadata.resourceVersion;
        return Promise.resolve(version === undefined ? undefined : { version, status });
      },
      recordEvent: (_metadata, event) => void this.events.push(event),
      forget: (key) => void this.forgotten.push(`databases ${key}`),
    };
  }
}
