// The children of all Databases as the watches show them, metadata alone: enough to see that one is gone or was edited.
import { z } from "zod";
import { fieldManager, labelKeys, managedSelector } from "../../components/naming";
import { ownDigestOf } from "../managed-fields";
import type { ChildName, Key, ObservedChild } from "../ports";
import { childKinds, isDisposable, serviceMonitors, type ChildKind } from "./child-kinds";
import type { KubeClient } from "./client";
import { collection, selectorText } from "./paths";
import { Reflector } from "./reflector";

export interface ChildWatchOptions {
  readonly client: KubeClient;
  /** A child came, went or was edited. */
  readonly onChild: (key: Key) => void;
  readonly onProblem: (kind: string, cause: unknown) => void;
}

interface Child extends ObservedChild {
  readonly database: Key;
}

const Meta = z.object({
  metadata: z.object({
    uid: z.string(),
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
});

const nothing: ReadonlyMap<ChildName, ObservedChild> = new Map();
/** The selector of one Database's children, without the part that names it. */
const everybodys = Object.fromEntries(
  Object.entries(managedSelector("")).filter(([label]) => label !== labelKeys.database),
);

/** See the header. */
export class ChildWatches {
  readonly #options: ChildWatchOptions;
  readonly #reflectors: readonly Reflector<Child>[];
  readonly #children = new Map<Key, Map<ChildName, ObservedChild>>();
  #serviceMonitors: Reflector<Child> | undefined;

  constructor(options: ChildWatchOptions) {
    this.#options = options;
    this.#reflectors = childKinds.filter((kind) => kind !== serviceMonitors).map((kind) => this.#reflect(kind));
  }

  async start(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
    await this.#serviceMonitors?.stop();
  }

  get synced(): boolean {
    return this.#reflectors.every((reflector) => reflector.synced);
  }

  /** ServiceMonitors can be watched only while the cluster knows them. */
  watchServiceMonitors(known: boolean): void {
    if (known === (this.#serviceMonitors !== undefined)) return;
    void this.#serviceMonitors?.stop();
    this.#serviceMonitors = known ? this.#reflect(serviceMonitors) : undefined;
    void this.#serviceMonitors?.start();
  }

  /** The children that carry the Database's labels. */
  of(key: Key): ReadonlyMap<ChildName, ObservedChild> {
    return this.#children.get(key) ?? nothing;
  }

  #reflect(child: ChildKind): Reflector<Child> {
    const { kind } = child;
    return new Reflector<Child>({
      client: this.#options.client,
      path: collection(child.resource),
      labelSelector: selectorText(everybodys),
      metadataOnly: true,
      parse: (object) => childOf(object, child),
      onChange: (path, after, before) => {
        this.#note(`${kind} ${path.split("/").at(-1) ?? ""}`, after, before);
      },
      onProblem: (cause) => {
        this.#options.onProblem(kind, cause);
      },
    });
  }

  #note(name: ChildName, after: Child | undefined, before: Child | undefined): void {
    if (before !== undefined && before.database !== after?.database) this.#forget(name, before.database);
    if (after !== undefined) {
      const siblings = this.#children.get(after.database) ?? new Map<ChildName, ObservedChild>();
      this.#children.set(after.database, siblings.set(name, after));
      this.#options.onChild(after.database);
    }
  }

  #forget(name: ChildName, database: Key): void {
    const siblings = this.#children.get(database);
    siblings?.delete(name);
    if (siblings?.size === 0) this.#children.delete(database);
    this.#options.onChild(database);
  }
}

function childOf(object: unknown, kind: ChildKind): Child | undefined {
  const { uid, name, namespace, labels, deletionTimestamp } = Meta.parse(object).metadata;
  const database = labels[labelKeys.database];
  if (database === undefined) return undefined;
  return {
    uid,
    database: `${namespace}/${database}`,
    applied: ownDigestOf(object, fieldManager),
    terminating: deletionTimestamp !== undefined,
    disposable: isDisposable(kind, name, database),
  };
}
