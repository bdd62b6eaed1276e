// What was accepted last is still kept up while something else is asked for that cannot be had.
import { isDeepStrictEqual } from "node:util";
import type { Database, DatabaseMetadata } from "../api/object";
import type { StalledReason } from "../api/reasons";
import type { Desired } from "../domain/desired";
import type { ObservedDatabase } from "../domain/observed-database";
import type { Outcome, Stalled } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";

/** Reasons that are about what is asked for; with any other one the children themselves are in question, or nothing must be done. */
const aboutWishes: ReadonlySet<StalledReason> = new Set<StalledReason>([
  "SpecInvalid",
  "VersionUnavailable",
  "UpgradeUnsupported",
  "ConfigSourceMissing",
  "ParameterReserved",
  "ImageLimited",
  "VolumeGrown",
  "ChangePending",
]);

/** Brings the children to what is desired. */
export type Keep = (database: Database, desired: Desired) => Promise<Outcome>;

/** The refusal, with what became of keeping what was accepted last. */
export async function keepAccepted(
  key: Key,
  metadata: DatabaseMetadata,
  refusal: Stalled,
  { at, keep }: { readonly at: Pick<Ports, "records" | "world">; readonly keep: Keep },
): Promise<Outcome> {
  const record = await at.records.load(key);
  if (record === undefined || !aboutWishes.has(refusal.reason)) return refusal;
  const desired = acceptedOf({ accepted: keptBy(record, refusal), uid: record.uid }, metadata, at);
  if (desired === undefined) return refusal;
  const generation = record.history[0]?.generation ?? metadata.generation;
  const meanwhile = await keep({ metadata: { ...metadata, generation }, spec: desired.spec }, desired);
  if (meanwhile.kind === "due") return meanwhile;
  return meanwhile.kind === "settled" ? refusal : { ...refusal, meanwhile };
}

/** Where half of what was agreed to may be there, and something else waits, another attempt is made at that. */
const keptBy = ({ accepted, agreed }: StackRecord, { pending }: Stalled): StackRecord["accepted"] =>
  accepted ?? (pending && agreed?.accepted);

/** What was accepted last of this very Database; undefined where nothing was, or it is not on record. */
export function acceptedOf(
  { accepted, uid }: Pick<StackRecord, "accepted" | "uid">,
  { name, namespace, uid: present }: Pick<DatabaseMetadata, "name" | "namespace" | "uid">,
  { world }: Pick<Ports, "world">,
): Desired | undefined {
  if (accepted === undefined || uid !== present) return undefined;
  const { serviceMonitors } = world;
  const keptBackups = world.keptBackups(`${namespace}/${name}`);
  return { owner: { name, namespace, uid }, ...accepted, serviceMonitors, keptBackups };
}

/** Whether volumes may grow by themselves counts as soon as it is written: no run shows it. */
export function withGrowing(desired: Desired, { parsed }: ObservedDatabase): Desired {
  const wanted = parsed.ok ? parsed.database.spec.storageAutoGrow : undefined;
  const { storageAutoGrow: former } = desired.spec;
  if (isDeepStrictEqual(former, wanted)) return desired;
  return { ...desired, spec: { ...desired.spec, storageAutoGrow: wanted } };
}
