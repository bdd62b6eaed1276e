// The end of a Database: destroy its stack, sweep what is left, keep or remove the data, and only then let the object go.
import { deletionPolicyOf, finalizer } from "../api/lifecycle";
import { metadataOf } from "../api/object";
import type { StackResult } from "../stack/runner";
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
  const [namespace = "", name = ""] = key.split("/");
  const began = at.now().getTime();
  const result = await at.stacks.destroy({
    stack: at.stackName(namespace, name),
    checkpoint: record.checkpoint,
    signal: at.signal,
  });
  const seconds = (at.now().getTime() - began) / 1000;
  const message = result.kind === "succeeded" ? `${result.changes.deleted} deleted` : result.problem.message;
  at.onRun({ key, operation: "destroy", result: result.kind, seconds, message });
  // what an unreadable state knew of is found by its labels
  if (result.kind === "succeeded" || result.kind === "corrupt") {
    await at.records.save(key, { ...record, checkpoint: undefined, digest: undefined });
  }
  return result;
}
