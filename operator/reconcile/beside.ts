// What of a change passes although a release of the operator waits: what the platform asks about is the release alone.
import { majorOf } from "../../contract/versions";
import type { ChangePolicy } from "../api/change-policy";
import type { DatabaseMetadata } from "../api/object";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import { wishOf } from "../domain/pending";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isIdle } from "../policy/decide";
import { wishNow } from "./accepted";
import { templateFor } from "./held";
import { withGrown } from "./storage";

interface Asked {
  readonly record: StackRecord;
  readonly metadata: DatabaseMetadata;
  /** What was judged. */
  readonly desired: Desired;
  /** Those for all changes. */
  readonly policies: readonly ChangePolicy[];
}

/** How what is asked for stands to a release of the operator that waits. */
export type Beside =
  /** There is no such release, or nothing else is asked for. */
  | { readonly kind: "none" }
  /** It is carried out, and the release is not. */
  | { readonly kind: "beside" }
  /** It waits with the release. */
  | { readonly kind: "with"; readonly why: string };

const none = { kind: "none" } as const;
const withRelease = (why: string): Beside => ({ kind: "with", why });

/**
 * Whether `desired` differs from what runs by more than the release, in a way that waits for nothing by itself, and that the members' template on
 * record can be given without what the release changes of it.
 */
export async function besideOf(
  { record, metadata, desired, policies }: Asked,
  at: Pick<Ports, "world" | "digest" | "release" | "memberTemplate">,
): Promise<Beside> {
  const before = record.whole?.accepted ?? record.accepted;
  if (before === undefined || record.release === at.release) return none;
  // what is half done differs in any case
  if (record.accepted !== undefined && isSame({ record, metadata, desired }, at)) return none;
  if (!policies.every(isIdle)) return withRelease("a policy for all changes is in force, too");
  return isUpgrade(record, before, desired)
    ? withRelease("a major upgrade is in progress, or begins")
    : besideBy(record, desired, at);
}

async function besideBy(
  record: StackRecord,
  desired: Desired,
  at: Pick<Ports, "digest" | "memberTemplate">,
): Promise<Beside> {
  const kept = await templateFor(record, desired, at);
  if (kept === undefined) return withRelease("both change the same of the members' pods");
  return kept.template === undefined ? withRelease("the stored state cannot be read") : { kind: "beside" };
}

const isUpgrade = ({ upgrade }: StackRecord, before: Accepted, { spec }: Desired): boolean =>
  upgrade !== undefined || majorOf(before.spec.version) !== majorOf(spec.version);

/** Volumes that have grown are as large in what runs. */
const isSame = ({ record, metadata, desired }: Omit<Asked, "policies">, at: Pick<Ports, "world" | "digest">): boolean =>
  wishNow(record.accepted, metadata, at, record.grown) === wishOf(withGrown(desired, record), at.digest);
