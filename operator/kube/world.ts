// The operator's local picture of the cluster: one reflector per kind it looks at, and which Databases must be reconciled when one changes.
import { isDeepStrictEqual } from "node:util";
import { ObservedDatabase } from "../domain/observed-database";
import type { Catalogue } from "../api/catalogue";
import { appLabelValue, labelKeys } from "../../components/naming";
import type { Urgency } from "../queue/fair-line";
import { backupComponent, type BackupRun } from "../domain/backups";
import { drillComponent, drillsIn, type Drill } from "../domain/drills";
import type { JobRun, Member, Workload } from "../domain/members";
import type { ChildName, ObservedChild } from "../domain/children";
import type { World } from "../domain/ports";
import { versionOf } from "../objects/resource-version";
import { catalogueIn } from "./catalogue";
import { placeOf, type Key } from "../domain/key";
import { ByDatabase, ownerOf, type Owned } from "./by-database";
import { isChildPod } from "./child-kinds";
import { childOf, ChildWatches, wholeKinds, type Child } from "./child-watches";
import type { KubeClient } from "./client";
import { ConfigReferences } from "./config-references";
import { JobAttempts, type SeenJob } from "./job-attempts";
import { jobOf, podOf, remembering, workloadOf, type SeenPod } from "./observe";
import { collection, resources } from "./paths";
import { recordSelector } from "./operator-secrets";
import { Reflector, type ReflectorOptions } from "./reflector";
import { scopesOf, type Scope } from "./scope";
import { ScopedReflector, type ScopedReflectorOptions } from "./scoped-reflector";
import { catalogueMap } from "../../contract/platform";
import { stateSecretOf, type StateSecret } from "./stack-records";

export interface WorldOptions {
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
  /** The namespaces to look at; none: all. */
  readonly watchNamespaces: readonly string[];
  /** One of them does not exist; it is looked at as soon as it does. */
  readonly onAbsent: (namespace: string) => void;
  /** A person or an input changed something: reconcile soon, whatever happened before. */
  readonly onInput: (key: Key, urgency: Urgency) => void;
  /** A child moved: reconcile, unless a failed attempt is being paused after. */
  readonly onChild: (key: Key) => void;
  readonly onProblem: (kind: string, cause: unknown) => void;
  /** A Database came, went or changed in any way: companions mirror it. */
  readonly onDatabase: (key: Key) => void;
  /** What the catalogue holds has changed. */
  readonly onCatalogue: () => void;
  /** A Job, or its pod, came, went or changed, so that a backup may have begun or ended; or what a member says of its archive did. */
  readonly onJob: (key: Key) => void;
  /** See `World.keptBackups`. */
  readonly keptBackups: World["keptBackups"];
  /** The Secret with a Database's state is now at `version`; undefined: it is gone. */
  readonly onState: (key: Key, version: string | undefined) => void;
}

/** What is watched whole, and what its metadata tell of the child that it is: one watch for both. */
interface Whole<T> {
  readonly seen: T;
  readonly child: Child | undefined;
}

const ours = `${labelKeys.app}=${appLabelValue}`;
const notOurs = `${labelKeys.app}!=${appLabelValue}`;

/** See the header. Every read is from memory. */
export class LiveWorld implements World {
  readonly #scopes: readonly Scope[];
  readonly #databases: ScopedReflector<ObservedDatabase>;
  readonly #workloads: ScopedReflector<Whole<Workload>>;
  readonly #pods: ScopedReflector<SeenPod>;
  readonly #jobs: ScopedReflector<Whole<SeenJob>>;
  readonly #catalogue: Reflector<Catalogue>;
  readonly #serviceMonitors: Reflector<true>;
  readonly #configMaps: ScopedReflector<string>;
  readonly #states: Reflector<StateSecret>;
  readonly #children: ChildWatches;
  readonly #podsOf = new ByDatabase<SeenPod>();
  readonly #jobsOf = new ByDatabase<SeenJob>();
  readonly #attempts = new JobAttempts();
  readonly #references = new ConfigReferences();
  #isSynced = false;

  constructor(private readonly options: WorldOptions) {
    this.#scopes = scopesOf(options.client, options.watchNamespaces, options.onAbsent);
    this.#databases = this.#reflectScopes("databases", {
      resource: resources.databases,
      parse: (object) => new ObservedDatabase(object),
      onChange: (key, after, before) => {
        this.#references.note(key, after?.object, before?.object);
        // what is there already when the operator starts was not asked for just now
        if (asksForMore(before, after)) options.onInput(key, this.#databases.isSynced(key) ? "person" : "upkeep");
        else options.onChild(key);
        options.onDatabase(key);
      },
    });
    this.#workloads = this.#reflectScopes("statefulsets", {
      resource: resources.statefulSets,
      labelSelector: ours,
      parse: (object) => ({ seen: workloadOf(object), child: childOf(object, wholeKinds.workload) }),
      // a StatefulSet has the name of its Database
      onChange: (key, after, before) => {
        this.#children.note(after?.child, before?.child);
        options.onChild(key);
      },
    });
    this.#pods = this.#reflectPods();
    this.#jobs = this.#reflectJobs();
    this.#catalogue = this.#reflectCatalogue();
    this.#serviceMonitors = this.#reflect("customresourcedefinitions", {
      path: collection(resources.customResourceDefinitions),
      fieldSelector: "metadata.name=servicemonitors.monitoring.coreos.com",
      metadataOnly: true,
      parse: () => true as const,
      onChange: () => {
        this.#children.watchServiceMonitors(this.serviceMonitors);
        this.#addAll();
      },
    });
    this.#states = this.#reflect("states", {
      path: collection(resources.secrets, options.namespace),
      labelSelector: recordSelector("state"),
      metadataOnly: true,
      parse: stateSecretOf,
      onChange: (_name, after, before) => {
        const secret = after ?? before;
        if (secret !== undefined) options.onState(secret.key, after?.version);
      },
    });
    this.#children = new ChildWatches({ ...options, scopes: this.#scopes });
    this.#configMaps = this.#reflectScopes("configmaps", {
      resource: resources.configMaps,
      labelSelector: notOurs,
      metadataOnly: true,
      parse: versionOf,
      onChange: (configMap) => {
        for (const key of this.#references.of(configMap)) options.onInput(key, "upkeep");
      },
    });
  }

  /** Resolves when every first list is in, but for namespaces in which the API server refuses them: they come in when they can. */
  async start(): Promise<void> {
    const common = Promise.all(this.#common.map((reflector) => reflector.start()));
    const begin = async (scope: Scope): Promise<void> => {
      await Promise.all([common, ...this.#inputs.map((reflector) => reflector.start(scope))]);
      // last, since the first reconcile of a Database must see everything else
      await this.#databases.start(scope);
    };
    await Promise.all([common, ...this.#scopes.map((scope) => Promise.race([begin(scope), scope.refused]))]);
    this.#isSynced = true;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#common, ...this.#inputs, this.#databases].map((reflector) => reflector.stop()));
  }

  /** Whether `start` has resolved. */
  get synced(): boolean {
    return this.#isSynced;
  }

  keys(): Key[] {
    return this.#databases.keys();
  }

  *all(): Iterable<readonly [Key, ObservedDatabase]> {
    for (const key of this.#databases.keys()) {
      const database = this.#databases.get(key);
      if (database !== undefined) yield [key, database];
    }
  }

  database(key: Key): ObservedDatabase | undefined {
    return this.#databases.get(key);
  }

  observe(key: Key): { workload: Workload | undefined; members: Member[]; jobs: JobRun[] } {
    return {
      workload: this.#workloads.get(key)?.seen,
      members: this.#podsOf
        .of(key)
        .flatMap(({ member }) => (member === undefined ? [] : [member]))
        .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
      jobs: this.#jobsOf.of(key).map((job) => this.#attempts.with(job)),
    };
  }

  /** The Jobs that take backups of a Database, or took some. */
  backupRuns(key: Key): BackupRun[] {
    return this.#jobsOf
      .of(key)
      .filter(({ component }) => component === backupComponent)
      .map((job) => this.#attempts.backup(job));
  }

  /** The restore drills of a Database that have ended, the latest first. */
  drills(key: Key): Drill[] {
    return drillsIn(this.#jobsOf.of(key).map((job) => this.#attempts.with(job)));
  }

  keptBackups(key: Key): readonly string[] | undefined {
    return this.options.keptBackups(key);
  }

  children(key: Key): ReadonlyMap<ChildName, ObservedChild> {
    return this.#children.of(key);
  }

  goingPods(key: Key): readonly string[] {
    return this.#podsOf
      .of(key)
      .flatMap(({ name, going }) => (going !== undefined && isChildPod(name, placeOf(key).name) ? [going] : []))
      .sort();
  }

  get catalogue(): Catalogue {
    return [...this.#catalogue.values()][0] ?? {};
  }

  get serviceMonitors(): boolean {
    return [...this.#serviceMonitors.values()].length > 0;
  }

  /** What there is once, wherever the Databases are. */
  get #common(): readonly Pick<Reflector<unknown>, "start" | "stop">[] {
    return [this.#catalogue, this.#serviceMonitors, this.#states];
  }

  get #inputs(): readonly Pick<ScopedReflector<unknown>, "start" | "stop">[] {
    return [this.#workloads, this.#pods, this.#jobs, this.#children, this.#configMaps];
  }

  #reflect<T>(kind: string, options: Omit<ReflectorOptions<T>, "client" | "onProblem">): Reflector<T> {
    return new Reflector<T>({ ...options, ...this.#connection(kind) });
  }

  #reflectScopes<T>(
    kind: string,
    options: Omit<ScopedReflectorOptions<T>, "client" | "onProblem" | "scopes">,
  ): ScopedReflector<T> {
    return new ScopedReflector<T>({ ...options, ...this.#connection(kind), scopes: this.#scopes });
  }

  #connection(kind: string): Pick<ReflectorOptions<unknown>, "client" | "onProblem"> {
    const { client, onProblem } = this.options;
    return {
      client,
      onProblem: (cause) => {
        onProblem(kind, cause);
      },
    };
  }

  #reflectPods(): ScopedReflector<SeenPod> {
    return this.#reflectScopes("pods", {
      resource: resources.pods,
      labelSelector: ours,
      parse: (object) => {
        const seen = podOf(object);
        return remembering(seen, seen && this.#pods.get(`${seen.namespace}/${seen.name}`));
      },
      onChange: (_key, after, before) => {
        this.#podsOf.note(after, before);
        this.#attempts.notePod(after?.attempt, before?.attempt);
        const told = attemptIn(after) ?? attemptIn(before) ?? newArchive(after, before);
        if (told !== undefined) this.options.onJob(ownerOf(told));
        this.#moved(after ?? before);
      },
    });
  }

  #reflectJobs(): ScopedReflector<Whole<SeenJob>> {
    return this.#reflectScopes("jobs", {
      resource: resources.jobs,
      labelSelector: ours,
      parse: (object) => {
        const seen = jobOf(object);
        return seen && { seen, child: childOf(object, wholeKinds.job) };
      },
      onChange: (_key, after, before) => {
        this.#noteJob(after?.seen, before?.seen);
        this.#children.note(after?.child, before?.child);
      },
    });
  }

  #noteJob(after: SeenJob | undefined, before: SeenJob | undefined): void {
    this.#jobsOf.note(after, before);
    this.#attempts.noteJob(after, before);
    const moved = after ?? before;
    if (moved !== undefined && ofBackups.has(moved.component)) this.options.onJob(ownerOf(moved));
    this.#moved(moved);
  }

  #moved(child: Owned | undefined): void {
    if (child !== undefined) this.options.onChild(ownerOf(child));
  }

  #reflectCatalogue(): Reflector<Catalogue> {
    const { namespace } = this.options;
    return this.#reflect("catalogue", {
      path: collection(resources.configMaps, namespace),
      fieldSelector: `metadata.name=${catalogueMap.name}`,
      parse: catalogueIn,
      onChange: () => {
        this.#addAll();
        this.options.onCatalogue();
      },
    });
  }

  readonly #addAll = (): void => {
    for (const key of this.keys()) this.options.onInput(key, "upkeep");
  };
}

/** Whether a person asked for something: our own writes of status change neither generation nor metadata that counts. */
function asksForMore(before: ObservedDatabase | undefined, after: ObservedDatabase | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  const relevant = ({ metadata }: ObservedDatabase): unknown => {
    const { uid, generation, deletionTimestamp, annotations, finalizers } = metadata;
    return { uid, generation, deletionTimestamp, annotations, finalizers };
  };
  return !isDeepStrictEqual(relevant(before), relevant(after));
}

/** The components of Jobs that DatabaseBackups tell of. */
const ofBackups: ReadonlySet<string> = new Set([backupComponent, drillComponent]);

const attemptIn = (pod: SeenPod | undefined): SeenPod | undefined => (pod?.attempt === undefined ? undefined : pod);

/** A pod that says something else of its archive than before. */
const newArchive = (after: SeenPod | undefined, before: SeenPod | undefined): SeenPod | undefined =>
  isDeepStrictEqual(after?.member?.archive, before?.member?.archive) ? undefined : after;
