// What a reconcile would do about a major upgrade, by its own functions: what it refuses, what it notes before its run, and what it says.
import { dataClaimName } from "../../components/naming";
import type { Consequence } from "../consequences/consequence";
import type { Key } from "../domain/key";
import type { Desired } from "../domain/desired";
import type { Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import { beginningOf } from "../reconcile/upgrade-begin";
import { lostUpgrade } from "../reconcile/upgrade-lost";
import { stepNow, type UpgradeSources } from "../reconcile/upgrade";
import type { Cluster } from "./cluster";
import { upgradeConsequences, type UpgradeAsked } from "./upgrade";

export type UpgradeWay =
  | { readonly kind: "refused"; readonly outcome: Outcome }
  /** `record` is what there is when the run begins. */
  | {
      readonly kind: "open";
      readonly record: StackRecord | undefined;
      readonly consequences: readonly Consequence[];
    };

/** See the header. `desired` is what was judged. */
export async function upgradeWay(
  key: Key,
  desired: Desired,
  found: StackRecord | undefined,
  {
    at,
    finalizers,
  }: {
    readonly at: UpgradeSources & Pick<Cluster, "engines" | "records" | "volumes">;
    readonly finalizers: readonly string[];
  },
): Promise<UpgradeWay> {
  const record = found ?? (await lostUpgrade(key, { uid: desired.owner.uid, finalizers }, at));
  const beginning = beginningOf({ desired, record }, at);
  if (beginning.kind === "refused") return beginning;
  const asked = { ...askedBy(desired), leavesVolume: await leavesVolume(desired, at) };
  if (beginning.kind === "begins" && record !== undefined) {
    const { upgrade } = beginning;
    const consequences = upgradeConsequences(upgrade, { ...asked, begins: true });
    return { kind: "open", record: { ...record, upgrade }, consequences };
  }
  const upgrade = record?.upgrade;
  if (upgrade === undefined) return { kind: "open", record, consequences: [] };
  const { step, job } = await stepNow(key, upgrade, asked, at);
  const said = job?.report?.message ?? upgrade.complaint;
  return { kind: "open", record, consequences: upgradeConsequences(upgrade, { ...asked, begins: false, step, said }) };
}

const leavesVolume = ({ owner, spec }: Desired, { volumes }: Pick<Cluster, "volumes">): Promise<boolean> =>
  volumes.isKept({
    namespace: owner.namespace,
    claim: dataClaimName(owner.name, 0),
    storageClass: spec.storageClass,
  });

function askedBy({ owner, spec }: Desired): Omit<UpgradeAsked, "begins" | "leavesVolume"> {
  const { version: wanted, replicas, storage, upgrade } = spec;
  return { name: owner.name, ...{ wanted, confirmed: upgrade?.confirmed, replicas, storage } };
}
