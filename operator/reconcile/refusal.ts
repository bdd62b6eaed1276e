// Why a run must not begin although the spec was accepted: asked by the reconcile, and by a preview, which says the same.
import { authoritySecretName, tlsSecretName } from "../../components/naming";
import { judgeChange } from "./judge";
import { refuseRepair, type Look } from "./drift";
import { stalled, type Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { ChildName, Children } from "../domain/children";
import type { Desired } from "../domain/desired";

export interface Intent {
  readonly desired: Desired;
  readonly record: StackRecord | undefined;
  readonly look: Look;
  /** Whether a ready member is primary. */
  readonly hasPrimary: boolean;
}

export type Clearance =
  | { readonly kind: "refused"; readonly outcome: Outcome }
  /** `ours` exist already, with these UIDs, and the stored state does not know them. */
  | { readonly kind: "clear"; readonly ours: ReadonlyMap<ChildName, string> };

/** What stands in the way, or what is there already. */
export async function clearanceOf(
  key: Key,
  { desired, record, look, hasPrimary }: Intent,
  children: Pick<Children, "standing">,
): Promise<Clearance> {
  const refused =
    judgeChange(record?.declared, desired.spec, record?.upgrade) ?? refuseRepair(look.drift, desired, hasPrimary);
  if (refused !== undefined) return { kind: "refused", outcome: refused };
  const { conflicts, ours } = await children.standing(key, desired, look.trusted);
  if (conflicts.length === 0) return { kind: "clear", ours };
  return { kind: "refused", outcome: stalled("NameConflict", nameConflict(conflicts) + ofTls(conflicts, desired)) };
}

/** What else helps, where a Database has those names for its certificates. */
function ofTls(conflicts: readonly string[], { owner: { name } }: Desired): string {
  const secrets = [tlsSecretName(name), authoritySecretName(name)].map((secret) => `Secret ${secret}`);
  const isOfTls = conflicts.some((conflict) => secrets.some((secret) => conflict.startsWith(secret)));
  return isOfTls ? "; with spec.tls.mode: Off it needs no certificates" : "";
}

/** What is said of objects that have a child's name and belong to another owner. */
export function nameConflict(conflicts: readonly string[]): string {
  return `not created by this Database, and left unchanged: ${conflicts.join(", ")}; remove it or choose another name`;
}
