// What is known when consequences are told: the objects that change, and what is beside them.
import { memberName, statefulSetName } from "../../components/naming";
import type { ServerTls } from "../../contract/tls";
import type { DatabaseSpec } from "../api/spec";
import type { DesiredRestore } from "../domain/restore";
import type { FieldChange, PlannedStep } from "../domain/runner";
import type { UpgradePhase } from "../domain/upgrade";
import type { Consequence } from "./consequence";
import type { MadeMembers } from "./revisions";

/** What is known beside the steps. */
export interface Circumstances {
  /** The Database's name. */
  readonly name: string;
  /** How many members there will be. */
  readonly members: number;
  /** Which member is primary; undefined where none is, or it is not known. */
  readonly primary: string | undefined;
  /** Whether writes wait while one of several members is away. */
  readonly needsAll: boolean;
  /** Whether the database runs already, and whether its state is rebuilt from what runs. */
  readonly exists: boolean;
  readonly isRebuilt: boolean;
  readonly asked: readonly FieldChange[];
  /** The spec as it is and as it would be; undefined where there is none, or none that can be read. */
  readonly specs: { readonly before: DatabaseSpec | undefined; readonly after: DatabaseSpec };
  /** Which TLS it has where its spec says nothing. */
  readonly began: ServerTls;
  /** The mode of TLS that the run leads to. Default: the one that is asked for. */
  readonly nextTls?: ServerTls | undefined;
  /** Whether what happens waits for the end of a pause. */
  readonly isPaused: boolean;
  /** Why no node could take a member now; undefined where one could, or it is not known. */
  readonly noPlace: string | undefined;
  /** The same of the pods that take backups, or that have their volume. Default: one could. */
  readonly noBackupPlace?: string | undefined;
  /** What is copied before there are members; undefined where nothing is. */
  readonly restore?: DesiredRestore | undefined;
  /** Of the major upgrade that is in progress, or begins; undefined where there is none. */
  readonly phase?: UpgradePhase | undefined;
  /** What that upgrade leads to. Default: nothing. */
  readonly upgrade?: readonly Consequence[];
  /** What the present members were created from; undefined where there are none, or it is not known. */
  readonly made: MadeMembers | undefined;
}

/** What each row of the table looks at. */
export interface Facts extends Circumstances {
  readonly steps: readonly PlannedStep[];
  /** The change of the members' StatefulSet. */
  readonly workload: PlannedStep | undefined;
  /** An object that does not stay as it is. */
  readonly find: (kind: string, name: string) => PlannedStep | undefined;
}

export function factsOf(steps: readonly PlannedStep[], at: Circumstances): Facts {
  const find: Facts["find"] = (kind, name) =>
    steps.find((step) => step.kind === kind && step.name === name && step.operation !== "same");
  return { ...at, steps, find, workload: find("StatefulSet", statefulSetName(at.name)) };
}

/** What waits for a node that could take a member. */
export const waitsForRoom = ({ noPlace }: Circumstances): Pick<Consequence, "waitsFor"> =>
  noPlace === undefined ? {} : { waitsFor: noPlace };

/** Members come and go by its phase then, which is told by itself, and not by a number that a person wrote. */
export const isStopped = ({ phase }: Circumstances): boolean =>
  phase !== undefined && ["Gathering", "Stopping", "Converting", "Starting"].includes(phase);

export const isOnItsWay = ({ phase }: Circumstances): boolean => phase === "Rehearsing" || phase === "BackingUp";

const replicasIn = ({ workload }: Facts): FieldChange | undefined =>
  workload?.fields.find(({ path }) => path === "spec.replicas");

/** How many members there are and will be, where that changes. */
export function resizing(at: Facts): { readonly before: number; readonly after: number } | undefined {
  const { before, after } = replicasIn(at) ?? {};
  const isChange = typeof before === "number" && typeof after === "number" && before !== after;
  return isChange ? { before, after } : undefined;
}

/** The members that there are and stay, from the highest number down. */
export function stayingMembers(at: Facts): string[] {
  const { before } = replicasIn(at) ?? {};
  const count = typeof before === "number" ? Math.min(before, at.members) : at.members;
  return Array.from({ length: count }, (_, index) => memberName(at.name, count - 1 - index));
}
