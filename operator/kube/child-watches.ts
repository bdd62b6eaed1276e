// The children of all Databases as the watches show them, metadata alone: enough to see that one is gone or was edited.
import { z } from "zod";
import { fieldManager, labelKeys, managedSelector } from "../../components/naming";
import type { Key } from "../domain/key";
import type { ChildName, ObservedChild } from "../domain/children";
import { ownDigestOf } from "../objects/managed-fields";
import { childKinds, isDisposable, serviceMonitors, type ChildKind } from "./child-kinds";
import type { KubeClient } from "./client";
import { selectorText } from "./paths";
import type { Scope } from "./scope";
import { ScopedReflector } from "./scoped-reflector";

export interface ChildWatchOptions {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
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
const allChildrenSelector = Object.fromEntries(
  Object.entries(managedSelector("")).filter(([label]) => label !== labelKeys.database),
);

/** See the header. */
export class ChildWatches {
  readonly #reflectors: readonly ScopedReflector<Child>[];
  readonly #children = new Map<Key, Map<ChildName, ObservedChild>>();
  #serviceMonitors: ScopedReflector<Child> | undefined;

  constructor(private readonly options: ChildWatchOptions) {
    this.#reflectors = childKinds.filter((kind) => kind !== serviceMonitors).map((kind) => this.#reflect(kind));
  }

  async start(scope: Scope): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.start(scope)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
    await this.#serviceMonitors?.stop();
  }

  /** ServiceMonitors can be watched only while the cluster knows them. */
  watchServiceMonitors(known: boolean): void {
    if (known === (this.#serviceMonitors !== undefined)) return;
    void this.#serviceMonitors?.stop();
    this.#serviceMonitors = known ? this.#reflect(serviceMonitors) : undefined;
    for (const scope of this.options.scopes) void this.#serviceMonitors?.start(scope);
  }

  /** The children that carry the Database's labels. */
  of(key: Key): ReadonlyMap<ChildName, ObservedChild> {
    return this.#children.get(key) ?? nothing;
  }

  #reflect(child: ChildKind): ScopedReflector<Child> {
    const { kind, resource } = child;
    const { client, scopes } = this.options;
    return new ScopedReflector<Child>({
      client,
      scopes,
      resource,
      labelSelector: selectorText(allChildrenSelector),
      metadataOnly: true,
      parse: (object) => childOf(object, child),
      onChange: (path, after, before) => {
        this.#note(`${kind} ${path.split("/").at(-1) ?? ""}`, after, before);
      },
      onProblem: (cause) => {
        this.options.onProblem(kind, cause);
      },
    });
  }

  #note(name: ChildName, after: Child | undefined, before: Child | undefined): void {
    if (before !== undefined && before.database !== after?.database) this.#forget(name, before.database);
    if (after !== undefined) {
      const siblings = this.#children.get(after.database) ?? new Map<ChildName, ObservedChild>();
      this.#children.set(after.database, siblings.set(name, after));
      this.options.onChild(after.database);
    }
  }

  #forget(name: ChildName, database: Key): void {
    const siblings = this.#children.get(database);
    siblings?.delete(name);
    if (siblings?.size === 0) this.#children.delete(database);
    this.options.onChild(database);
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
