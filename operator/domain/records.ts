// What is remembered of a stack between runs.
import { z } from "zod";
import { mostRevisions } from "../api/revisions/limits";
import { RevisionSpec } from "../api/revisions/spec";
import { Engine } from "../api/spec";
import { Accepted } from "./accepted";
import type { ChildMarks, Drift } from "./children";
import type { Agreed, Plans } from "./pending";
import type { Restored } from "./restore";
import type { TlsRecord } from "./tls";
import type { Upgrade } from "./upgrade";
import type { Checkpoint, AppliedWorkload } from "./runner";
import type { Key } from "./key";

/** What cannot change freely once a run declared it. */
export const Declared = z.object({
  engine: Engine,
  version: z.string(),
  storage: z.string(),
  storageClass: z.string().optional(),
  /** Of the backup volume; missing where there is none. */
  backupSize: z.string().optional(),
  backupStorageClass: z.string().optional(),
});
export type Declared = Readonly<z.infer<typeof Declared>>;

/** The size to which data volumes have grown by themselves. */
export const Grown = z.object({
  size: z.string(),
  /** RFC 3339. */
  at: z.string(),
  /** What was said of the volume that filled up. */
  reason: z.string(),
});
export type Grown = Readonly<z.infer<typeof Grown>>;

/** What the DatabaseRevision of a change says beside that: see there. */
export const Told = RevisionSpec.pick({
  origin: true,
  author: true,
  approval: true,
  changes: true,
  image: true,
  generation: true,
  release: true,
}).extend({
  template: z.looseObject({}).optional(),
});
export type Told = Readonly<z.infer<typeof Told>>;

/** One successful change of a Database's children. */
export const Revision = z.object({
  /** Counts from 1. */
  revision: z.number(),
  /** RFC 3339. */
  at: z.string(),
  /** How long the run took. */
  seconds: z.number(),
  /** Digest of the desired state. */
  digest: z.string(),
  /** For example "1 updated, 18 unchanged". */
  summary: z.string(),
  /** The field manager that wrote the spec last, or changed the child that was restored; empty where unknown. */
  by: z.string(),
  /** What was restored, as `Kind name: fields`; missing where the change was asked for. */
  putBack: z.array(z.string()).optional(),
  /** What of the members' pods it changed, so that they are restarted; missing where they are not. */
  restarts: z.string().optional(),
  /** Generation of the Database; missing where an earlier operator wrote it. */
  generation: z.number().optional(),
  /** Whether something other than the Database asked for it, such as the catalogue or a new operator; missing where not. */
  byPlatform: z.boolean().optional(),
  /** What that was. Missing where nothing was, and where an earlier operator wrote it. */
  source: z.enum(["Release", "Catalogue", "ConfigMap"]).optional().catch(undefined),
  /** Missing of all but the newest, and where an earlier operator wrote it, or a newer one in words that this one does not know. */
  told: Told.optional().catch(undefined),
});
export type Revision = Readonly<z.infer<typeof Revision>>;

/** How many revisions are kept. */
export const longestHistory = mostRevisions;

/** How many of them still say all that their DatabaseRevisions say: they may not be made yet. */
export const longestTold = 3;

/** What the last run that succeeded left of members. */
export const Whole = z.object({
  accepted: Accepted,
  /** The template of their pods. */
  template: z.looseObject({}),
});
export type Whole = Readonly<z.infer<typeof Whole>>;

/** A checkpoint between runs: compressed, for of a thousand nearly all are idle. */
export interface KeptCheckpoint {
  readonly packed: Buffer;
  /** What is compared with the children that exist; undefined where the checkpoint cannot be read. */
  readonly marks: ChildMarks | undefined;
  /** Expands it; empty where it is damaged, which counts as unreadable. */
  text(): Checkpoint;
}

/** What is remembered of a stack between runs. */
export interface StackRecord extends Plans {
  /** undefined before the first run and after the destroy. */
  readonly checkpoint: KeptCheckpoint | undefined;
  /** Of everything that decided the last successful run; undefined when the last run failed. */
  readonly digest: string | undefined;
  /** UID of the Database that the last run was for. */
  readonly uid: string;
  /** The StatefulSet after the last successful run; undefined before. */
  readonly workload: AppliedWorkload | undefined;
  /** What the last successful run declared; undefined before. */
  readonly declared: Declared | undefined;
  /**
   * What the children are as, or are being restored to. Undefined before the first run, after one that failed at applying something else,
   * and where an earlier operator wrote the record.
   */
  readonly accepted: Accepted | undefined;
  /**
   * What there was before one or more runs failed: half of what those were for may be in the checkpoint. Missing where the last run succeeded, and
   * where an earlier operator wrote the record.
   */
  readonly whole?: Whole | undefined;
  /** The last successful changes, newest first, at most `longestHistory`. */
  readonly history: readonly Revision[];
  /** Labels of backups that retention must not remove, as the last successful run declared them. Missing: there were none. */
  readonly keptBackups?: readonly string[];
  /** Drift that a failed run was restoring: the run that completes it reports it. Missing where there is none. */
  readonly restoring?: readonly Drift[];
  /** What the data were, or are being, copied from. Missing where the Database began empty, or with what there was. */
  readonly restored?: Restored;
  /** The major upgrade in progress, or that is not confirmed yet. Missing: there is none. */
  readonly upgrade?: Upgrade | undefined;
  /** To where data volumes have grown by themselves. It stays, whatever the spec says, for volumes cannot shrink. Missing: nowhere. */
  readonly grown?: Grown;
  /** Missing: an earlier operator wrote the record, which knew no TLS. */
  readonly tls?: TlsRecord | undefined;
  /** UID of the Database whose last backup has succeeded: nothing but the destroy comes after it. Missing before. */
  readonly finalBackup?: string;
  /** What was agreed to. Missing: an earlier operator wrote the record, and it is not known. */
  readonly agreed?: Agreed | undefined;
  /** The release of the code that declared the children. Missing: it is not known. */
  readonly release?: string | undefined;
  /**
   * The release that restored children while it waited itself: all but the members' template are of its form. Missing: they are of that which
   * `release` names.
   */
  readonly formedBy?: string | undefined;
  /** The store's fence: a save with an outdated one fails. */
  readonly version: string;
}

/** Of a stack of which nothing is remembered. */
export const emptyRecord = (uid: string): StackRecord => ({
  checkpoint: undefined,
  digest: undefined,
  uid,
  workload: undefined,
  declared: undefined,
  accepted: undefined,
  history: [],
  version: "",
});

/** Another client saved a record in between: what was to be saved says nothing about the present. */
export class OutdatedRecord extends Error {
  override readonly name = "OutdatedRecord";
}

/** Keeps stack records in the cluster. A save throws an OutdatedRecord when another client saved in between. */
export interface StackRecords {
  load(key: Key): Promise<StackRecord | undefined>;
  save(key: Key, record: StackRecord): Promise<StackRecord>;
  remove(key: Key): Promise<void>;
  /** Drops what is remembered of it, not the record: that is read again when it is asked for. */
  forget(key: Key): void;
}
