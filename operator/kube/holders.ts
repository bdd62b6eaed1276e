// What keeps an object that is being deleted: the finalizers that do not go by themselves.

/** `Kind name`, and what holds it. */
export function leftoverText(
  kind: string,
  { name, finalizers }: { readonly name: string; readonly finalizers: readonly string[] },
): string {
  const held = holdersOf(finalizers);
  return held.length === 0 ? `${kind} ${name}` : `${kind} ${name} (held by ${held.join(", ")})`;
}

/** The finalizers that do not go by themselves. */
export const holdersOf = (finalizers: readonly string[]): string[] =>
  finalizers.filter((finalizer) => !ownFinalizers.has(finalizer));

/** Of Kubernetes itself, and soon gone by themselves. */
const ownFinalizers: ReadonlySet<string> = new Set([
  "foregroundDeletion",
  "orphan",
  "batch.kubernetes.io/job-tracking",
]);
