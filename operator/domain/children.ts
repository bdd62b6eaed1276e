// A Database's children: what shows that one has changed, and what is asked of those in the cluster.
import type { Key } from "./key";
import type { Desired, DatabaseProgram } from "./desired";

/** One child as `Kind name`, for example `StatefulSet shop`. */
export type ChildName = string;

/** What shows whether a child is still as a run left it. */
export interface ChildMark {
  readonly uid: string;
  /** Digest of the fields that our field manager owns and of the time at which it last applied them. */
  readonly applied: string;
}

/** A child as a run left it. */
export interface DeclaredChild extends ChildMark {
  readonly urn: string;
  /** Paths of the fields that our field manager owns, such as `spec.replicas`. */
  readonly fields: ReadonlySet<string>;
}

/** A child as the watches show it. */
export interface ObservedChild extends ChildMark {
  /** Whether it is being deleted. */
  readonly terminating: boolean;
  /** Whether it has a name that only runs give, and holds no data: where no run is known to have created it, it is left over. */
  readonly disposable: boolean;
}

/**
 * `deleted`: it is gone; `replaced`: it was created again, with our labels; `edited`: fields of ours were changed;
 * `outdated`: our own field manager applied something that the stored state does not know of; `surplus`: it is there,
 * with our labels, and the stored state does not know it.
 */
export const driftKinds = ["deleted", "replaced", "edited", "outdated", "surplus"] as const;

/** How one child differs from what the last run left. */
export interface Drift {
  readonly child: ChildName;
  /** Empty for one that the stored state does not know. */
  readonly urn: string;
  readonly kind: (typeof driftKinds)[number];
  /** The fields that are no longer as declared; empty where it is gone. */
  readonly fields: readonly string[];
  /** The field manager that changed them; undefined where it is not known. */
  readonly by: string | undefined;
  /** The size that a claim asks for now; undefined for other kinds and for a claim that is gone. */
  readonly size?: string;
  /** Of the object that is there now; undefined where there is none, or the stored state does not know it. */
  readonly uid?: string;
}

/** Marks of all children that a checkpoint holds. */
export type ChildMarks = ReadonlyMap<ChildName, ChildMark>;

/** What a look at children found. */
export interface Inspection {
  readonly drift: readonly Drift[];
  /** Objects of another owner that now have a child's name. */
  readonly conflicts: readonly ChildName[];
  /** Children that are on their way out: they can be created again once they are gone. */
  readonly terminating: readonly ChildName[];
}

/** What has the name of a child in the cluster. */
export interface Standing {
  /** Objects of another owner. */
  readonly conflicts: readonly ChildName[];
  /** Objects with the Database's labels, by name with their UIDs, but for those that were not asked about. */
  readonly ours: ReadonlyMap<ChildName, string>;
}

/** Children in the cluster, by name and by label. */
export interface Children {
  /** Reads what has the name of a child of `desired`; those that are `known` are not asked about. */
  standing(key: Key, desired: Desired, known: ReadonlySet<ChildName>): Promise<Standing>;
  /** Reads children from the API server, past the watches' copies, and finds how they differ from what is declared. */
  inspect(key: Key, suspects: ReadonlyMap<ChildName, DeclaredChild>): Promise<Inspection>;
  /** Those among `children` that exist, carry the Database's labels and are not being deleted, read from the API server. */
  existing(key: Key, children: readonly ChildName[]): Promise<readonly ChildName[]>;
  /** Deletes those among `children` that exist and carry the Database's labels. */
  remove(key: Key, children: readonly ChildName[]): Promise<void>;
  /** The size in the claim template of the StatefulSet that exists, which cannot be changed; empty where there is none. */
  claimTemplate(key: Key): Promise<Pick<DatabaseProgram, "claimTemplateStorage">>;
  /**
   * Makes what exists, `ours`, fit to be adopted by a run that does not know it: Jobs, which cannot be changed, are
   * deleted, to be created again. Without any data volume, what consensus kept of previous ones is deleted, too. The
   * StatefulSet's claim template, which cannot be changed either, is read.
   */
  prepareAdoption(
    key: Key,
    ours: ReadonlyMap<ChildName, string>,
  ): Promise<Pick<DatabaseProgram, "claimTemplateStorage">>;
  /** Has the members stop while they still have all that they need for it; returns what is not gone yet, as `Kind name`. */
  stopMembers(key: Key): Promise<readonly string[]>;
  /** Deletes the Database's children that are still there, but for what is kept. */
  sweep(key: Key, keep: Keep): Promise<Swept>;
}

/** What a sweep found, as `Kind name`. */
export interface Swept {
  /** Children that are not gone yet. */
  readonly left: readonly string[];
  /** What carries the labels of a child and is none, by its name: left alone. */
  readonly strangers: readonly string[];
}

/** What a deletion leaves: data volumes, backups and credentials; without the data volumes; or nothing of it. */
export type Keep = "all data" | "backups" | "nothing";
