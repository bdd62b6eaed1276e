// The step of a reconcile that lets data volumes grow: what is decided is on record before the run that declares it, so that none forgets it.
import { fitsIn, valueOf } from "../api/quantity";
import type { DatabaseMetadata } from "../api/object";
import { dataClaimName, dataClaimNames } from "../../components/naming";
import { maxMembers } from "../../contract/limits";
import type { Desired } from "../domain/desired";
import { placeOf, type Key } from "../domain/key";
import type { Grown, StackRecord } from "../domain/records";
import type { Ports, Volumes } from "../domain/ports";
import { growthOf, withGrown } from "./storage";
import { describe } from "./storage-ready";

/** A Database's record and what is desired, both with the size that its volumes have grown to. */
export interface Sized<D extends Desired> {
  readonly known: StackRecord | undefined;
  readonly desired: D;
  /** Whether it must grow, and this turn only looks. */
  readonly isDue: boolean;
  /** What the next record must say of volumes that are adopted. */
  readonly adopted?: Pick<StackRecord, "grown">;
}

interface GrowthContext {
  readonly at: Pick<Ports, "world" | "records" | "volumes" | "databases" | "now">;
  readonly metadata: DatabaseMetadata;
  readonly looksOnly: boolean;
}

/** See the header. Whether members are ready does not matter: one whose volume is full is not. */
export async function withGrowth<D extends Desired>(
  key: Key,
  { known, desired }: Pick<Sized<D>, "known" | "desired">,
  { at, metadata, looksOnly }: GrowthContext,
): Promise<Sized<D>> {
  if (known?.declared === undefined) {
    const children = at.world.children(key);
    const exists = (claim: string): boolean => children.has(`PersistentVolumeClaim ${claim}`);
    const adoption = await withAdopted(key, desired, { volumes: at.volumes, exists, now: at.now() });
    return { known, ...adoption, isDue: false };
  }
  const asItIs = { known, desired: withGrown(desired, known), isDue: false };
  // volumes of a Database that is about to go need not grow
  if (desired.finalBackup !== undefined) return asItIs;
  const { members } = at.world.observe(key);
  const growth = growthOf({ spec: desired.spec, grown: known.grown, members, now: at.now() });
  if (growth.kind !== "due" || (await growthRefusal(key, at.volumes)) !== undefined) return asItIs;
  if (looksOnly) return { ...asItIs, isDue: true };
  const reason = describe(growth.fullest);
  const grown: Grown = { size: growth.size, at: at.now().toISOString(), reason };
  const saved = await at.records.save(key, { ...known, grown });
  const message = `${reason}: the data volumes grow to ${grown.size}`;
  at.databases.recordEvent(metadata, { type: "Normal", reason: "StorageGrown", message });
  return { known: saved, desired: withGrown(desired, saved), isDue: false };
}

/**
 * Without a record, what is left of the volumes says to which size they had grown: none can shrink. `exists`: whether a claim may be there, so
 * that it is worth asking for.
 */
export async function withAdopted<D extends Desired>(
  key: Key,
  desired: D,
  {
    volumes,
    exists,
    now,
  }: { readonly volumes: Volumes; readonly exists: (claim: string) => boolean; readonly now: Date },
): Promise<Pick<Sized<D>, "desired" | "adopted">> {
  const { namespace, name } = placeOf(key);
  const claims = dataClaimNames(name, maxMembers).filter(exists);
  const found = await Promise.all(claims.map((claim) => volumes.sizeOf(namespace, claim)));
  const sizes = found.flatMap((size) => (size !== undefined && /^\d+Gi$/.test(size) ? [size] : []));
  const [size] = sizes.sort((one, other) => valueOf(other) - valueOf(one));
  if (size === undefined || fitsIn(size, desired.spec.storage)) return { desired };
  const reason = `the data volumes that were adopted had ${size}`;
  const adopted = { grown: { size, at: now.toISOString(), reason } };
  return { desired: withGrown(desired, adopted), adopted };
}

/** Why the data volumes cannot grow; undefined where they can. */
export async function growthRefusal(key: Key, volumes: Volumes): Promise<string | undefined> {
  const { namespace, name } = placeOf(key);
  const storageClass = await volumes.classOf(namespace, dataClaimName(name, 0));
  if (storageClass === undefined) return "its claim has no StorageClass, so it cannot grow: move the data";
  if ((await volumes.canGrow(storageClass)) === true) return undefined;
  return `StorageClass ${storageClass} does not let volumes grow: have allowVolumeExpansion: true set on the class, or move the data`;
}
