// What was accepted last is still kept up while something else is asked for that cannot be had.
import { isDeepStrictEqual } from "node:util";
import type { Database, DatabaseMetadata } from "../api/object";
import type { StalledReason } from "../api/reasons";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import type { ObservedDatabase } from "../domain/observed-database";
import type { Outcome, Stalled } from "../domain/outcome";
import { wishOf } from "../domain/pending";
import type { Grown, StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";
import { isReleaseLetIn } from "../policy/holding";
import { withThrough } from "../policy/ledger";
import { withGrown } from "./storage";

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

export const isAboutWishes = ({ reason }: Stalled): boolean => aboutWishes.has(reason);

/** Brings the children to what is desired. */
export type Keep = (database: Database, desired: Desired) => Promise<Outcome>;

type KeepPorts = Pick<Ports, "records" | "world" | "digest" | "release" | "changes">;

/** The refusal, with what became of keeping what was accepted last. */
export async function keepAccepted(
  key: Key,
  metadata: DatabaseMetadata,
  found: Stalled,
  { at, keep }: { readonly at: KeepPorts; readonly keep: Keep },
): Promise<Outcome> {
  const record = await at.records.load(key);
  if (record === undefined || !isAboutWishes(found)) return found;
  const refusal = { ...found, message: `${found.message}${releaseText(record, found, at)}` };
  const desired = acceptedOf({ accepted: keptOf(record, refusal), uid: record.uid }, metadata, at);
  if (desired === undefined) return refusal;
  const generation = record.history[0]?.generation ?? metadata.generation;
  const meanwhile = await keep({ metadata: { ...metadata, generation }, spec: desired.spec }, desired);
  if (meanwhile.kind === "due") return meanwhile;
  if (meanwhile.kind !== "settled") return { ...refusal, meanwhile };
  if (refusal.pending !== undefined) await noteKept(key, desired, metadata, at);
  return { ...refusal, isKept: true };
}

/** Of a change that waits it is told what it is. */
const releaseText = (record: StackRecord, { pending }: Stalled, at: Pick<Ports, "release" | "changes">): string =>
  pending !== undefined || record.release === at.release || isReleaseLetIn(record, at)
    ? ""
    : "; another release of the operator waits by the change policy meanwhile, and can be approved only once this is mended";

/** Who waits can mend nothing: then what was let through, and is half done, is carried through. */
const keptOf = ({ accepted, agreed }: StackRecord, { pending }: Stalled): Accepted | undefined =>
  accepted ?? (pending && agreed?.accepted);

/** What is kept up has come through: be it what was agreed to, or, where that never began, what came before it. */
async function noteKept(key: Key, kept: Desired, metadata: DatabaseMetadata, at: KeepPorts): Promise<void> {
  const record = await at.records.load(key);
  const { agreed } = record ?? {};
  if (record === undefined || agreed?.former === undefined) return;
  // volumes that have grown since are as large in what was kept up
  const grownWish = (one: Accepted | undefined): string | undefined => wishNow(one, metadata, at, record.grown);
  const wish = grownWish(kept);
  const came = [agreed, agreed.former].find(({ accepted }) => grownWish(accepted) === wish);
  if (came !== undefined) await at.records.save(key, withThrough(record, came));
}

/** The wish for `accepted` by this release of the operator, and with volumes of this size; undefined where it is not on record. */
export function wishNow(
  accepted: Accepted | undefined,
  metadata: DatabaseMetadata,
  at: Pick<Ports, "world" | "digest">,
  grown?: Grown,
): string | undefined {
  const desired = acceptedOf({ accepted, uid: metadata.uid }, metadata, at);
  return desired && wishOf(withGrown(desired, grown && { grown }), at.digest);
}

/** Without its data, a Database has nothing that could be kept up. */
export const acceptedFrom = ({ spec, image, config, restore }: Desired): Accepted | undefined =>
  restore === undefined ? { spec, image, config } : undefined;

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
