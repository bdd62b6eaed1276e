// The end of a Database: destroy its stack, sweep what is left, keep or remove the data, and only then let the object go.
import { deletionPolicyOf, finalizer } from "../api/lifecycle";
import { metadataOf } from "../api/object";
import { placeOf } from "../key";
import type { Changes, StackResult } from "../stack/runner";
import { noted } from "./noted";
import { failed, gone, waiting, type Outcome } from "./outcome";
import type { Key, Ports } from "../ports";
import type { Progress } from "./reconcile";

/** How soon to look again while children are going, in milliseconds; watches usually tell earlier. */
const lookAgainMs = 2000;

/** Carries the deletion of `object` on. It reads the metadata and the policy and needs no valid spec. */
export async function finalize(key: Key, object: unknown, at: Ports, progress: Progress): Promise<Outcome> {
  const metadata = metadataOf(object);
  if (!metadata.finalizers.includes(finalizer)) return gone();
  const destroyed = await destroy(key, at, progress);
  if (destroyed !== undefined && destroyed.kind !== "succeeded" && destroyed.kind !== "corrupt") {
    return failed("DestroyFailed", destroyed.problem.message);
  }
  const removeData = deletionPolicyOf(object) === "Delete";
  const left = await at.children.sweep(key, { data: removeData });
  if (left.length > 0) return waiting("Deleting", `waiting until these are gone: ${left.join(", ")}`, lookAgainMs);
  if (removeData) await at.credentials.remove(key);
  await at.records.remove(key);
  await at.databases.removeFinalizer(metadata);
  return gone();
}

/** Destroys the stack once: afterwards its record has no checkpoint. Undefined when there is nothing to destroy. */
async function destroy(key: Key, at: Ports, progress: Progress): Promise<StackResult | undefined> {
  const record = await at.records.load(key);
  if (record?.checkpoint === undefined) return undefined;
  await progress.running("Deleting");
  const { namespace, name } = placeOf(key);
  const { checkpoint } = record;
  const summary = ({ deleted }: Changes): string => `${deleted} deleted`;
  const result = await noted({ key, operation: "destroy", summary }, at, () =>
    at.stacks.destroy({ stack: at.stackName(namespace, name), checkpoint, signal: at.signal }),
  );
  // what an unreadable state knew of is found by its labels
  if (result.kind === "succeeded" || result.kind === "corrupt") {
    await at.records.save(key, { ...record, checkpoint: undefined, digest: undefined });
  }
  return result;
}
