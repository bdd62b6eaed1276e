// What a reconcile would do about a major upgrade, by its own functions: what it refuses, what it notes before its run, and what it says.
import type { Key } from "../domain/key";
import type { Desired } from "../domain/desired";
import type { Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import { beginningOf } from "../reconcile/upgrade-begin";
import { stepNow, type UpgradeSources } from "../reconcile/upgrade";
import type { Cluster } from "./cluster";
import { upgradeNotes } from "./upgrade";

export type UpgradeWay =
  | { readonly kind: "refused"; readonly outcome: Outcome }
  /** `record` is what there is when the run begins. */
  | { readonly kind: "open"; readonly record: StackRecord | undefined; readonly notes: readonly string[] };

/** See the header. `desired` is what was judged. */
export async function upgradeWay(
  key: Key,
  desired: Desired,
  record: StackRecord | undefined,
  at: UpgradeSources & Pick<Cluster, "engines">,
): Promise<UpgradeWay> {
  const beginning = beginningOf({ desired, record }, at);
  if (beginning.kind === "refused") return beginning;
  const { owner, spec } = desired;
  const { version: wanted, replicas, storage } = spec;
  const confirmed = spec.upgrade?.confirmed;
  const asked = { name: owner.name, ...{ wanted, confirmed, replicas, storage } };
  if (beginning.kind === "begins" && record !== undefined) {
    const { upgrade } = beginning;
    return { kind: "open", record: { ...record, upgrade }, notes: upgradeNotes(upgrade, { ...asked, begins: true }) };
  }
  const upgrade = record?.upgrade;
  if (upgrade === undefined) return { kind: "open", record, notes: [] };
  const { step, job } = await stepNow(key, upgrade, { wanted, confirmed }, at);
  const said = job?.report?.message ?? upgrade.complaint;
  return { kind: "open", record, notes: upgradeNotes(upgrade, { ...asked, begins: false, step, said }) };
}
