// How what is asked for comes to be carried out: at once, beside a release of the operator that waits, or as the change policies say. The reconcile
// acts by it, and whatever foretells a change says what comes of it.
import { noPolicy, type ChangePolicy } from "../api/change-policy";
import type { DatabaseMetadata } from "../api/object";
import type { Desired } from "../domain/desired";
import { wishOf } from "../domain/pending";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isIdle, isLooser } from "../policy/decide";
import { policiesOver, type Platform, type Policies } from "../policy/holding";
import { isAgreed, isRunning } from "./agreed";
import { besideOf } from "./beside";

/** By what a change is judged. */
interface Judged {
  /** What is on record of what runs. */
  readonly record: StackRecord;
  readonly policies: Policies;
  readonly loosens: boolean;
}

export type Passage =
  /** Nothing runs yet that it could do harm to. */
  | { readonly kind: "new" }
  /** By no policy it could wait, or it was agreed to. */
  | (Judged & { readonly kind: "free" })
  /** All but the release of the operator is carried out, by which members keep their template; that is asked about after it. */
  | (Judged & { readonly kind: "beside" })
  /** What it does decides. `withRelease`: why an edit is not carried out beside the release; missing where there is none of the two. */
  | (Judged & { readonly kind: "asks"; readonly withRelease?: string });

interface Asked {
  readonly record: StackRecord | undefined;
  readonly metadata: DatabaseMetadata;
  /** What was judged. */
  readonly desired: Desired;
  /** Of the Database itself, as it is asked for. */
  readonly policy: ChangePolicy | undefined;
  /** Whether members have ever served: those that have not may need the release for that. */
  readonly hasComeUp: () => boolean | Promise<boolean>;
  /** Whether all that passes beside a release has been carried out. Default: not. */
  readonly isAlone?: boolean;
}

type At = Pick<Ports, "world" | "digest" | "memberTemplate"> & Platform;

/** See the header. */
export async function passageOf(asked: Asked, at: At): Promise<Passage> {
  const { record, metadata, desired, policy } = asked;
  if (record === undefined || !isRunning(record, metadata)) return { kind: "new" };
  const policies = policiesOver(record, policy, { ...at, changes: await changesFor(record, asked, at) });
  const [inForce, wanted] = policies;
  const judged: Judged = { record, policies, loosens: isLooser(inForce, wanted) };
  const isKnown = !judged.loosens && isAgreed(record, wishOf(desired, at.digest), metadata, at);
  if (policies.every(isIdle) || isKnown) return { kind: "free", ...judged };
  if (asked.isAlone === true) return { kind: "asks", ...judged };
  const beside = await besideOf({ record, metadata, desired, policies: [inForce, wanted] }, at);
  if (beside.kind === "beside") return { kind: "beside", ...judged };
  return { kind: "asks", ...judged, ...(beside.kind === "with" && { withRelease: beside.why }) };
}

async function changesFor({ release }: StackRecord, { hasComeUp }: Asked, at: At): Promise<Platform["changes"]> {
  const asksThem = release === at.release || isIdle(at.changes.releases) || (await hasComeUp());
  return asksThem ? at.changes : { ...at.changes, releases: noPolicy };
}
