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

/**
 * Whether `desired` differs from what runs by more than the release, in a way that waits for nothing by itself, and that the members' template on
 * record can be given without what the release changes of it.
 */
export async function passesBeside(
  { record, metadata, desired, policies }: Asked,
  at: Pick<Ports, "world" | "digest" | "release" | "memberTemplate">,
): Promise<boolean> {
  const before = record.whole?.accepted ?? record.accepted;
  if (before === undefined || record.release === at.release || !policies.every(isIdle)) return false;
  if (isUpgrade(record, before, desired)) return false;
  // what is half done differs in any case
  if (record.accepted !== undefined && isSame({ record, metadata, desired }, at)) return false;
  const kept = await templateFor(record, desired, at);
  return kept?.template !== undefined;
}

const isUpgrade = ({ upgrade }: StackRecord, before: Accepted, { spec }: Desired): boolean =>
  upgrade !== undefined || majorOf(before.spec.version) !== majorOf(spec.version);

/** Volumes that have grown are as large in what runs. */
const isSame = ({ record, metadata, desired }: Omit<Asked, "policies">, at: Pick<Ports, "world" | "digest">): boolean =>
  wishNow(record.accepted, metadata, at, record.grown) === wishOf(withGrown(desired, record), at.digest);
