// The children of all Databases as the watches show them, metadata alone: enough to see that one is gone or was edited.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fieldManager, labelKeys, managedSelector } from "../../components/naming";
import type { Key } from "../domain/key";
import type { ChildName, ObservedChild } from "../domain/children";
import { ownDigestOf } from "../objects/managed-fields";
import { ByDatabase, ownerOf, type Owned } from "./by-database";
import { childKinds, isDisposable, kindOf, serviceMonitors, type ChildKind } from "./child-kinds";
import type { KubeClient } from "./client";
import { selectorText } from "./paths";
import type { Scope } from "./scope";
import { ScopedReflector } from "./scoped-reflector";

/** Kinds that are watched whole, for what only the whole object tells: their metadata come with that, by `note`. */
export const wholeKinds = { workload: kindOf("StatefulSet"), job: kindOf("Job") } as const;

const watchedWhole: ReadonlySet<ChildKind> = new Set(Object.values(wholeKinds));

export interface ChildWatchOptions {
  readonly client: KubeClient;
  readonly scopes: readonly Scope[];
  /** A child came, went or was edited. */
  readonly onChild: (key: Key) => void;
  readonly onProblem: (kind: string, cause: unknown) => void;
}

/** What the metadata of an object tell of a child. */
export interface Child extends ObservedChild, Owned {
  readonly name: ChildName;
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

/** The selector of one Database's children, without the part that names it. */
const allChildrenSelector = Object.fromEntries(
  Object.entries(managedSelector("")).filter(([label]) => label !== labelKeys.database),
);

const isSelected = (labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(allChildrenSelector).every(([label, value]) => labels[label] === value);

/** See the header. */
export class ChildWatches {
  readonly #reflectors: readonly ScopedReflector<Child>[];
  readonly #children = new ByDatabase<Child>();
  #serviceMonitors: ScopedReflector<Child> | undefined;

  constructor(private readonly options: ChildWatchOptions) {
    this.#reflectors = childKinds
      .filter((kind) => kind !== serviceMonitors && !watchedWhole.has(kind))
      .map((kind) => this.#reflect(kind));
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
    return this.#children.byName(key);
  }

  #reflect(child: ChildKind): ScopedReflector<Child> {
    const { client, scopes } = this.options;
    return new ScopedReflector<Child>({
      client,
      scopes,
      resource: child.resource,
      labelSelector: selectorText(allChildrenSelector),
      metadataOnly: true,
      parse: (object) => childOf(object, child),
      onChange: (_path, after, before) => {
        this.note(after, before);
      },
      onProblem: (cause) => {
        this.options.onProblem(child.kind, cause);
      },
    });
  }

  /** To be called with each change of an object that is watched whole; undefined: it is no child, or is not there. */
  note(after: Child | undefined, before: Child | undefined): void {
    // most changes of a whole object are none of its metadata
    if (isDeepStrictEqual(after, before)) return;
    this.#children.note(after, before);
    if (before !== undefined && before.database !== after?.database) this.options.onChild(ownerOf(before));
    if (after !== undefined) this.options.onChild(ownerOf(after));
  }
}

/** Undefined for an object that is no child, whatever selected it. */
export function childOf(object: unknown, kind: ChildKind): Child | undefined {
  const { uid, name, namespace, labels, deletionTimestamp } = Meta.parse(object).metadata;
  const database = labels[labelKeys.database];
  if (database === undefined || !isSelected(labels)) return undefined;
  return {
    uid,
    namespace,
    database,
    name: `${kind.kind} ${name}`,
    applied: ownDigestOf(object, fieldManager),
    terminating: deletionTimestamp !== undefined,
    disposable: isDisposable(kind, name, database),
  };
}
