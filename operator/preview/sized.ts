// How large data volumes would be declared.
import { dataClaimNames } from "../../components/naming";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { StackRecord } from "../domain/records";
import { withAdopted } from "../reconcile/growth";
import { withGrown } from "../reconcile/storage";
import type { Cluster } from "./cluster";

/** With the size that volumes have grown to: by the record, or, where a run would adopt them, by their claims. */
export async function sizedOf(
  key: Key,
  desired: Desired,
  record: StackRecord | undefined,
  { volumes }: Pick<Cluster, "volumes">,
): Promise<Desired> {
  if (record?.declared !== undefined) return withGrown(desired, record);
  const { name } = desired.owner;
  const claims = new Set(dataClaimNames(name, desired.spec.replicas));
  return (await withAdopted(key, desired, { volumes, exists: (claim) => claims.has(claim), now: new Date() })).desired;
}
