// A Database's children as a tree, the way they own each other.
import { z } from "zod";

/** An object of the cluster, as far as the tree shows it. */
export const TreeObject = z.object({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    ownerReferences: z.array(z.object({ uid: z.string() })).default([]),
  }),
  status: z
    .looseObject({
      phase: z.string().optional(),
      replicas: z.number().optional(),
      readyReplicas: z.number().optional(),
      succeeded: z.number().optional(),
    })
    .optional(),
});
export type TreeObject = z.infer<typeof TreeObject>;

/** Kinds that hold data: they have no owner, so that they outlive the Database. */
const keptKinds: ReadonlySet<string> = new Set(["PersistentVolumeClaim", "Secret"]);

/** Lines of the tree under the Database with this UID; what has no owner among `objects` hangs on the Database. */
export function treeLines(
  root: { readonly title: string; readonly uid: string },
  objects: readonly TreeObject[],
): string[] {
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const parentOf = ({ metadata }: TreeObject): string =>
    metadata.ownerReferences.map(({ uid }) => uid).find((uid) => known.has(uid)) ?? root.uid;
  const childrenOf = (uid: string): TreeObject[] =>
    objects.filter((object) => parentOf(object) === uid).sort((a, b) => titleOf(a).localeCompare(titleOf(b)));
  const below = (uid: string, indent: string): string[] =>
    childrenOf(uid).flatMap((object, index, all) => {
      const last = index === all.length - 1;
      return [
        `${indent}${last ? "└─" : "├─"} ${titleOf(object)}`,
        ...below(object.metadata.uid, `${indent}${last ? "  " : "│ "} `),
      ];
    });
  return [root.title, ...below(root.uid, "")];
}

function titleOf(object: TreeObject): string {
  const notes = notesOf(object);
  return `${object.kind} ${object.metadata.name}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

function notesOf({ kind, metadata, status }: TreeObject): string[] {
  const phase = status?.phase;
  const kept = keptKinds.has(kind) ? "kept on deletion" : undefined;
  return [noteOfKind(kind, metadata.labels, status), phase, kept].filter((note) => note !== undefined);
}

function noteOfKind(
  kind: string,
  labels: Readonly<Record<string, string>>,
  status: TreeObject["status"],
): string | undefined {
  switch (kind) {
    case "Pod":
      return labels["role"];
    case "StatefulSet":
      return `${status?.readyReplicas ?? 0}/${status?.replicas ?? 0} ready`;
    case "Job":
      return status?.succeeded ? "succeeded" : undefined;
    default:
      return undefined;
  }
}
