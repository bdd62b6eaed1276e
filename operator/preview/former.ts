// What a change is held against: what is in the cluster, or, where the last one was not carried out, what was agreed to.
import { parseDatabase, type Database } from "../api/object";
import type { DatabaseSpec } from "../api/spec";
import type { Circumstances } from "../consequences/circumstances";
import { differencesIn } from "../consequences/fields";
import type { Desired } from "../domain/desired";
import type { FieldChange } from "../domain/runner";
import type { Key } from "../domain/key";
import type { StackRecord } from "../domain/records";
import { judge } from "../reconcile/judge";
import { withRecorded } from "../reconcile/recorded";
import { tlsBefore } from "../reconcile/tls-before";
import { withGrown } from "../reconcile/storage";
import { digestOf } from "../stack/program";
import { programVersion } from "../stack/program-version";
import type { Cluster } from "./cluster";

/** The spec by which the children are; of what no child shows, what is in the cluster counts at once. */
function formerSpec(
  record: Pick<StackRecord, "accepted"> | undefined,
  present: Database | undefined,
): DatabaseSpec | undefined {
  const accepted = record?.accepted?.spec;
  if (accepted === undefined || present === undefined) return present?.spec;
  const { deletionPolicy, paused, changePolicy, storageAutoGrow, upgrade } = present.spec;
  return { ...accepted, deletionPolicy, paused, changePolicy, storageAutoGrow, upgrade };
}

/** Whether the last change was not carried out whole: what the children are as is not on record. */
const isHalfDone = (record: StackRecord | undefined): boolean =>
  record !== undefined && record.history.length > 0 && record.digest === undefined && record.accepted === undefined;

/** The Database in the cluster; undefined where there is none, or none that can be read. */
export function presentOf(before: unknown): Database | undefined {
  const parsed = before === undefined ? undefined : parseDatabase(before);
  return parsed?.ok === true ? parsed.database : undefined;
}

/** What that asks for; undefined where it could not be applied. */
export async function formerOf(
  present: Database | undefined,
  record: StackRecord | undefined,
  cluster: Cluster,
): Promise<Desired | undefined> {
  if (present === undefined) return undefined;
  const { asNow } = cluster;
  const judgement = await judge(present, { ...cluster, ...asNow }, record?.upgrade);
  if (judgement.kind !== "accepted") return undefined;
  const key: Key = `${present.metadata.namespace}/${present.metadata.name}`;
  const tls = await tlsBefore(key, judgement.desired, record, cluster);
  return withGrown(withRecorded(judgement.desired, { record, tls }, asNow.world.catalogue), record);
}

/** How far what was asked for before has come. */
export interface Behind {
  /** Whether the operator has, or would have, something to do without this change. */
  readonly isBehind: boolean;
  /** Whether a former one was not carried out whole. */
  readonly isHalfDone: boolean;
}

/** What a change is held against. */
interface Against {
  /** What the Database in the cluster asks for; undefined where there is none, or it could not be applied. */
  readonly former: Desired | undefined;
  readonly present: Database | undefined;
  /** How the spec differs from the one in the cluster, and what it would be. */
  readonly asked: readonly FieldChange[];
  readonly after: DatabaseSpec;
}

/** Where what is in the cluster is not carried out, what was agreed to counts. */
export function heldAgainst(
  { former, present, asked, after }: Against,
  record: StackRecord | undefined,
): {
  readonly circumstances: Pick<Circumstances, "asked" | "specs">;
  readonly state: Behind;
} {
  const isBehind = former === undefined || digestOf(programVersion())(former) !== record?.digest;
  const before = isBehind ? formerSpec(record, present) : present?.spec;
  const isOther = isBehind && before !== undefined;
  return {
    circumstances: { asked: isOther ? differencesIn("spec", before, after) : asked, specs: { before, after } },
    state: { isBehind: former !== undefined && isBehind, isHalfDone: isHalfDone(record) },
  };
}
