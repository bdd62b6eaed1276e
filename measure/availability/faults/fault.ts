// What is done to a Database while clients write.
import type { Kubectl } from "../../../test/harness/kubectl";
import type { Member } from "../cluster/members";
import type { PodProcesses } from "../cluster/pod-processes";
import type { Subject } from "../subject";

/** Where a fault strikes. */
export interface Scene {
  readonly subject: Subject;
  /** As it was right before. */
  readonly primary: Member;
  readonly kubectl: Kubectl;
  readonly processes: PodProcesses;
  /** Of the cluster, on this machine. */
  readonly directory: string;
  /** A number that no try of this Database had before. */
  readonly step: number;
  /** The version to change to, where that is the fault. */
  readonly nextVersion?: string;
}

/** Takes back what keeps a member away. */
export type Heal = () => Promise<void>;

/** How long a fault stays: until rows are acknowledged again and some time more, or a time of its own. In milliseconds. */
export type Hold =
  { readonly kind: "until written"; readonly thenMs: number } | { readonly kind: "for"; readonly ms: number };

export interface Fault {
  /** What happens, as the page says it. */
  readonly title: string;
  /** Whether it goes through the operator. */
  readonly needsOperator?: true;
  /** Whether each try needs a Database of its own, in the older of two versions. */
  readonly needsOlderVersion?: true;
  /** For faults that stay until they are healed. */
  readonly hold?: Hold;
  /** What must be before clients write. */
  prepare?(scene: Omit<Scene, "primary">): Promise<void>;
  /** Strikes; returns when it is done to the members. */
  strike(scene: Scene): Promise<Heal | undefined>;
}
