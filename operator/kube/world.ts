// The operator's local picture of the cluster: one reflector per kind it looks at, and who is to be reconciled when one moves.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { Catalogue } from "../api/catalogue";
import { metadataOf } from "../api/object";
import { appLabelValue, labelKeys } from "../../components/naming";
import type { Key, World } from "../reconcile/ports";
import type { KubeClient } from "./client";
import { jobOf, memberOf, workloadOf, type JobRun, type Member, type OwnershipLabels, type Workload } from "./observe";
import { collection, resources } from "./paths";
import { Reflector } from "./reflector";

export interface WorldOptions {
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
  /** Name of the ConfigMap with the catalogue, and its key. */
  readonly catalogue: { readonly name: string; readonly key: string };
  /** A person or an input changed something: reconcile soon, whatever happened before. */
  readonly onInput: (key: Key) => void;
  /** A child moved: reconcile, unless a failed attempt is being paused after. */
  readonly onChild: (key: Key) => void;
  readonly onProblem: (kind: string, cause: unknown) => void;
}

const labels: OwnershipLabels = { database: labelKeys.database, component: labelKeys.component, role: labelKeys.role };
const memberComponent = "database";
const ours = `${labelKeys.app}=${appLabelValue}`;
const notOurs = `${labelKeys.app}!=${appLabelValue}`;

const CatalogueMap = z.object({ data: z.record(z.string(), z.string()).default({}) });
const ConfigSource = z.object({ spec: z.object({ configFrom: z.object({ name: z.string() }) }) });
const Version = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** A World that keeps itself up to date. */
export interface LiveWorld extends World {
  /** Resolves when every first list is in. */
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly synced: boolean;
  keys(): Key[];
}

export function createWorld(options: WorldOptions): LiveWorld {
  const { client, onInput, onChild, onProblem } = options;
  const problem = (kind: string) => (cause: unknown) => {
    onProblem(kind, cause);
  };
  const all = (): void => {
    for (const key of databases.keys()) onInput(key);
  };
  const child = <T extends { namespace: string; database: string }>(_: Key, after?: T, before?: T): void => {
    const moved = after ?? before;
    if (moved) onChild(`${moved.namespace}/${moved.database}`);
  };

  const databases = new Reflector<unknown>({
    client,
    path: collection(resources.databases),
    parse: (object) => object,
    onChange: (key, after, before) => {
      if (asksForMore(before, after)) onInput(key);
      else onChild(key);
    },
    onProblem: problem("databases"),
  });
  const workloads = new Reflector<Workload>({
    client,
    path: collection(resources.statefulSets),
    labelSelector: ours,
    parse: workloadOf,
    // the StatefulSet has the name of its Database
    onChange: (key) => {
      onChild(key);
    },
    onProblem: problem("statefulsets"),
  });
  const members = new Reflector<Member>({
    client,
    path: collection(resources.pods),
    labelSelector: ours,
    parse: (object) => memberOf(object, labels, memberComponent),
    onChange: child,
    onProblem: problem("pods"),
  });
  const jobs = new Reflector<JobRun>({
    client,
    path: collection(resources.jobs),
    labelSelector: ours,
    parse: (object) => jobOf(object, labels),
    onChange: child,
    onProblem: problem("jobs"),
  });
  const configMaps = new Reflector<string>({
    client,
    path: collection(resources.configMaps),
    labelSelector: notOurs,
    metadataOnly: true,
    parse: (object) => Version.parse(object).metadata.resourceVersion,
    onChange: (configMap) => {
      for (const key of databases.keys()) {
        if (sourceOf(key, databases.get(key)) === configMap) onInput(key);
      }
    },
    onProblem: problem("configmaps"),
  });
  const catalogue = new Reflector<Catalogue>({
    client,
    path: collection(resources.configMaps, options.namespace),
    fieldSelector: `metadata.name=${options.catalogue.name}`,
    parse: (object) => Catalogue.parse(JSON.parse(CatalogueMap.parse(object).data[options.catalogue.key] ?? "{}")),
    onChange: all,
    onProblem: problem("catalogue"),
  });
  const serviceMonitors = new Reflector<true>({
    client,
    path: collection(resources.customResourceDefinitions),
    fieldSelector: "metadata.name=servicemonitors.monitoring.coreos.com",
    metadataOnly: true,
    parse: () => true,
    onChange: all,
    onProblem: problem("customresourcedefinitions"),
  });
  // Databases last: their first reconcile must see everything else
  const reflectors = [workloads, members, jobs, configMaps, catalogue, serviceMonitors, databases];

  return {
    database: (key) => databases.get(key),
    observe: (key) => ({
      workload: workloads.get(key),
      members: of(members, key).sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
      jobs: of(jobs, key),
    }),
    get catalogue() {
      return [...catalogue.values()][0] ?? {};
    },
    get serviceMonitors() {
      return [...serviceMonitors.values()].length > 0;
    },
    get synced() {
      return reflectors.every((reflector) => reflector.synced);
    },
    keys: () => [...databases.keys()],
    async start() {
      await Promise.all(reflectors.slice(0, -1).map((reflector) => reflector.start()));
      await databases.start();
    },
    async stop() {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
  };
}

function of<T extends { namespace: string; database: string }>(reflector: Reflector<T>, key: Key): T[] {
  return [...reflector.values()].filter(({ namespace, database }) => `${namespace}/${database}` === key);
}

/** Whether a person asked for something: our own writes of status change neither generation nor metadata that counts. */
function asksForMore(before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return true;
  const relevant = (object: unknown): unknown => {
    const { uid, generation, deletionTimestamp, annotations, finalizers } = metadataOf(object);
    return { uid, generation, deletionTimestamp, annotations, finalizers };
  };
  return !isDeepStrictEqual(relevant(before), relevant(after));
}

function sourceOf(key: Key, database: unknown): Key | undefined {
  const parsed = ConfigSource.safeParse(database);
  return parsed.success ? `${key.split("/")[0] ?? ""}/${parsed.data.spec.configFrom.name}` : undefined;
}
