// In place of a record that was lost: what the cluster shows of what was agreed to, so that nothing passes that would wait.
import { finalizer } from "../api/lifecycle";
import type { DatabaseMetadata } from "../api/object";
import { fitsIn } from "../api/quantity";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { Agreed } from "../domain/pending";
import type { Ports } from "../domain/ports";
import { emptyRecord, type StackRecord } from "../domain/records";
import type { Recalled } from "../domain/recalled";
import { wishNow } from "./accepted";

interface Asked {
  readonly metadata: DatabaseMetadata;
  /** What was judged. */
  readonly desired: Desired;
}

type RecallPorts = Pick<Ports, "world" | "digest" | "release" | "recall">;

/** Undefined where nothing was ever carried out, as far as the cluster shows it. */
export async function recalledRecord(
  key: Key,
  { metadata, desired }: Asked,
  at: RecallPorts,
): Promise<StackRecord | undefined> {
  // without it nothing was ever created
  if (!metadata.finalizers.includes(finalizer)) return undefined;
  const found = await at.recall(key, metadata.uid);
  if (found === undefined) return undefined;
  const { revision, release, template } = found;
  const accepted = acceptedIn(found, desired);
  return {
    ...emptyRecord(metadata.uid),
    ...{ accepted, whole: { accepted, template } },
    ...(release !== undefined && { release }),
    ...(release === at.release && { agreed: agreedTo(accepted, { metadata, desired }, at) }),
    history: [{ ...revision, digest: "" }],
  };
}

/** No revision shows what of the parameters came from a ConfigMap: they are taken to be as they are now. */
function acceptedIn({ spec, image }: Recalled, { config, spec: { config: own = {} } }: Desired): Accepted {
  const shared = Object.entries(config).filter(([name]) => !Object.hasOwn(own, name));
  return { spec, image, config: { ...Object.fromEntries(shared), ...spec.config } };
}

/** Volumes that are larger than asked for have grown by themselves. */
function agreedTo(accepted: Accepted, { metadata, desired }: Asked, at: RecallPorts): Agreed {
  const { spec } = accepted;
  const storage = fitsIn(spec.storage, desired.spec.storage) ? spec.storage : desired.spec.storage;
  const asAsked = { ...accepted, spec: { ...spec, storage } };
  const { changePolicy: policy } = spec;
  return { wish: wishNow(asAsked, metadata, at) ?? "", accepted, ...(policy && { policy }) };
}
