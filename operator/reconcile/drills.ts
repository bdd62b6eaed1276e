// Where restore drills take place that nobody asked for.
import { dataClaimName } from "../../components/naming";
import type { Database } from "../api/object";
import type { DatabaseSpec } from "../api/spec";
import { hasDrills } from "../api/verification";
import type { Volumes } from "../domain/ports";

/** The spec, without drills where each would leave a volume behind that nothing removes. Who writes `enabled: true` has them there, too. */
export async function withPossibleDrills(
  { metadata: { namespace, name }, spec }: Database,
  volumes: Pick<Volumes, "isKept">,
): Promise<DatabaseSpec> {
  if (!hasDrills(spec) || spec.backup.verify?.enabled === true) return spec;
  const volume = { namespace, claim: dataClaimName(name, 0), storageClass: spec.storageClass };
  if (!(await volumes.isKept(volume))) return spec;
  return { ...spec, backup: { ...spec.backup, verify: { ...spec.backup.verify, enabled: false } } };
}

/** What is said where they would take place but for that; `possible`: what was made of `spec`. */
export function drillsRefusal(spec: DatabaseSpec, possible: DatabaseSpec): string | undefined {
  return hasDrills(spec) && spec.backup.verify?.enabled !== true && possible.backup.verify?.enabled === false
    ? "no restore drills take place: the StorageClass of the data volumes has reclaimPolicy Retain, so each would leave a volume behind; write spec.backup.verify.enabled: true to have them all the same, and remove those"
    : undefined;
}
