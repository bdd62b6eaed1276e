// A Database's members, their StatefulSet and its Jobs: as the watches show them, and as they are read again to be restarted.
import type { ArchiveNote } from "../../contract/archive-note";
import type { CertificateNote } from "../../contract/certificate-note";
import type { KeptFilesNote } from "../../contract/kept-files";
import type { VerificationReport } from "../../contract/verification-report";
import type { VolumeNote } from "../../contract/volume-note";
import type { AppliedWorkload } from "./runner";
import type { Key } from "./key";
import type { Imported } from "./restore";

/** One member's pod. */
export interface Member {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly uid: string;
  /** Revision of the StatefulSet's template that it was created from; empty where no StatefulSet created it. */
  readonly revision: string;
  readonly ready: boolean;
  /** The role that the member reports about itself; undefined while it has none. */
  readonly role: "primary" | "replica" | undefined;
  /**
   * Of a replica: whether it is ready and applies what the primary writes, by its agent's word. An agent that says nothing of it is not
   * ready where it does not.
   */
  readonly streaming: boolean;
  /** Why the pod cannot run, in the kubelet's or scheduler's words; undefined while nothing is wrong. */
  readonly problem: string | undefined;
  /** Why it does not start, where that is certain: a start that takes long is no failure. Stays until the member is ready. */
  readonly failure: string | undefined;
  /** The server's own last words, where it does not start and said why. Default: none. */
  readonly complaint?: string;
  /** Why only a person can decide how it continues, in its agent's words. Default: it continues by itself. */
  readonly undecided?: string;
  /** What a primary says of its archive; missing where it has none. */
  readonly archive?: ArchiveNote;
  /** What it says of files of other major versions beside its own. Missing: nothing yet. */
  readonly keptFiles?: KeptFilesNote;
  /** What it says of its data volume. Missing: nothing yet. */
  readonly volume?: VolumeNote;
  /** What it says of the certificate that its server shows. Missing: nothing yet, or it has none. */
  readonly certificate?: CertificateNote;
  /** Whether it has ever been ready since its pod was created. */
  readonly served: boolean;
  /** Whether the pod is being deleted. */
  readonly terminating: boolean;
  /** How often its containers have ended and been started again in this pod. Missing: never. */
  readonly ends?: number;
  /** How the last of them ended. Missing: none did, or it is not known. */
  readonly ending?: string;
  /** Why Kubernetes takes the pod away, as it says itself. Missing: it does not, or a client deleted the pod. */
  readonly disruption?: string;
}

/** The StatefulSet's own account of itself. */
export interface Workload extends AppliedWorkload {
  /** Members that it wants. */
  readonly wanted: number;
  /** Whether its controller has seen the present spec; else what follows is of an earlier one. */
  readonly seen: boolean;
  /** Revision of the template that pods are created from. */
  readonly revision: string;
}

/** A Job of a Database. */
export interface JobRun {
  readonly name: string;
  readonly database: string;
  readonly namespace: string;
  readonly component: string;
  readonly state: "running" | "succeeded" | "failed";
  /** RFC 3339; undefined while it runs. */
  readonly finishedAt: string | undefined;
  readonly createdAt: string;
  /** Why it failed, or has not succeeded yet, in the words of its last pod; missing where it did, or it is not known. */
  readonly trouble?: string;
  /** Label of the backup that it took; missing where it took none, or it is not known. */
  readonly backup?: string;
  /** The earliest moment that a restore can go back to since then; missing where it is not known, or there is none. */
  readonly recoverableFrom?: string;
  /** What it found of a backup that it restored to look at it; missing where it restored none, or it is not known. */
  readonly verification?: VerificationReport;
  /** What it imported; missing where it imported nothing, or it is not known. */
  readonly imported?: Imported;
  /** Name of the DatabaseBackup that asked for it; missing where none did. */
  readonly requestedBy?: string;
}

/** What the watches show of one Database's children. */
export interface Observation {
  readonly workload: Workload | undefined;
  readonly members: readonly Member[];
  readonly jobs: readonly JobRun[];
}

/** The primary, as it says it itself; undefined while none does. */
export const primaryOf = (members: readonly Member[]): Member | undefined =>
  members.find(({ role, terminating }) => role === "primary" && !terminating);

/** What it says of its archive; undefined while none does. */
export const archiveNoteOf = (members: readonly Member[]): ArchiveNote | undefined => primaryOf(members)?.archive;

/** A member to be restarted, as it was read last. */
export interface FreshMember extends Member {
  readonly resourceVersion: string;
}

/** What was read again of one Database's members. */
export interface MembersNow {
  readonly workload: Workload | undefined;
  readonly members: readonly FreshMember[];
}

/**
 * What became of a wish to restart a member: `changed` since it was read, or `forbidden` by a disruption budget, in the API
 * server's words; to be tried again after `afterMs`.
 */
export type Eviction =
  | { readonly kind: "begun" | "changed" }
  | { readonly kind: "forbidden"; readonly message: string; readonly afterMs: number };

/** Members read past the watches' copies, and restarted: the StatefulSet creates a pod again that has gone. */
export interface Members {
  read(key: Key): Promise<MembersNow>;
  /** Has the pod end gracefully, if it is still as it was read and no disruption budget forbids it. */
  evict(member: FreshMember): Promise<Eviction>;
  /** Drops what is remembered of the Database's members. */
  forget(key: Key): void;
}
