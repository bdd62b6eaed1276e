// A major upgrade whose record was lost: the StatefulSet says where it was, by what the last run declared (ADR 48).
import { finalizer } from "../api/lifecycle";
import type { DatabaseMetadata } from "../api/object";
import type { Key } from "../domain/key";
import { due, waiting, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import { emptyRecord, type StackRecord } from "../domain/records";
import type { Upgrade } from "../domain/upgrade";
import { phaseText } from "./upgrade-texts";

/**
 * A phase is noted before the run that declares it: one that is declared is not behind what was done. Undefined where there is a record, or no
 * upgrade of this very Database.
 */
export async function lostUpgrade(
  key: Key,
  { uid, finalizers }: { readonly uid: string; readonly finalizers: readonly string[] },
  { records, upgrades }: Pick<Ports, "records" | "upgrades">,
): Promise<(StackRecord & { readonly upgrade: Upgrade }) | undefined> {
  // without it nothing was ever created
  if (!finalizers.includes(finalizer) || (await records.load(key)) !== undefined) return undefined;
  const upgrade = await upgrades.declared(key);
  return upgrade?.uid === uid ? { ...emptyRecord(uid), upgrade } : undefined;
}

/** Puts it on record again, before anything else is done: otherwise members of a version would be declared whose files may not be there. */
export async function resumeUpgrade(
  key: Key,
  metadata: DatabaseMetadata,
  { at, looksOnly }: { readonly at: Pick<Ports, "records" | "upgrades" | "databases">; readonly looksOnly: boolean },
): Promise<Outcome | undefined> {
  const record = await lostUpgrade(key, metadata, at);
  if (record === undefined) return undefined;
  if (looksOnly) return due();
  await at.records.save(key, record);
  const message = `the state was lost, and the upgrade continues where it was: ${phaseText(record.upgrade)}`;
  at.databases.recordEvent(metadata, { type: "Warning", reason: "Upgrading", message });
  return waiting("Upgrading", phaseText(record.upgrade), 0);
}
