// How what is previewed would come to be carried out, as a reconcile decides it.
import type { Database } from "../api/object";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { StackRecord } from "../domain/records";
import { passageOf, type Passage } from "../reconcile/passage";
import { recalledRecord } from "../reconcile/recalled";
import { declaredTemplate } from "../stack/member-template";
import { digestOf } from "../stack/program";
import { programVersion } from "../stack/program-version";
import type { besideIn, LeftRelease } from "./beside";
import type { Cluster } from "./cluster";
import { noPolicies, type PlatformPolicies, type PoliciesIfAny } from "./policy-note";

/** For what a change waits, and beside what it does not. */
export interface HeldBy {
  readonly policies: PoliciesIfAny;
  /** Why it is not carried out beside a release of the operator that waits; missing where there is none, or it is. */
  readonly withRelease?: string | undefined;
  /** What of that release keeps waiting, where it is carried out beside it. */
  readonly left?: LeftRelease | undefined;
}

/** What is carried out beside a release waits for nothing. */
export function heldBy(passage: Passage, left: LeftRelease | undefined): HeldBy {
  if (left !== undefined) return { policies: undefined, left };
  if (passage.kind === "new" || passage.kind === "free") return { policies: undefined };
  return { policies: passage.policies, ...(passage.kind === "asks" && { withRelease: passage.withRelease }) };
}

type PassagePorts = Parameters<typeof passageOf>[1] & Parameters<typeof besideIn>[1];

/** By this program, and the platform's policies. Default: nothing waits. */
export const portsFor = ({ world }: Cluster, policies: PlatformPolicies = noPolicies): PassagePorts => ({
  ...{ world, digest: digestOf(programVersion()), release: programVersion(), memberTemplate: declaredTemplate },
  ...{ changes: policies, now: () => new Date() },
});

interface Asked {
  readonly database: Database;
  readonly record: StackRecord | undefined;
  /** What was judged. */
  readonly judged: Desired;
}

export async function passageIn(
  key: Key,
  { database: { metadata, spec }, record, judged: desired }: Asked,
  at: PassagePorts & Pick<Cluster, "recall" | "hasComeUp">,
): Promise<Passage> {
  const known = record ?? (await recalledRecord(key, { metadata, desired }, at));
  const { changePolicy: policy } = spec;
  return passageOf({ record: known, metadata, desired, policy, hasComeUp: () => at.hasComeUp(key) }, at);
}
