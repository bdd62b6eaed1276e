// Reads Pulumi's checkpoints: whether one can be used, and what it says about the workload.
import { z } from "zod";
import { fieldManager } from "../../components/naming";
import { parseJson } from "../objects/json";
import type { ChildMarks, ChildName, DeclaredChild } from "../domain/children";
import { ownFieldsOf } from "../objects/managed-fields";
import { project } from "../domain/stack-names";
import type { AppliedWorkload, Checkpoint } from "../domain/runner";

/** Type of the members' StatefulSet: a stack has one, or none yet. */
export const workloadType = "kubernetes:apps/v1:StatefulSet";

/** The parts of a checkpoint that a run looks at; the rest is Pulumi's. */
const CheckpointFile = z.looseObject({
  version: z.literal(3),
  checkpoint: z.looseObject({
    latest: z
      .looseObject({
        secrets_providers: z.looseObject({ state: z.looseObject({ salt: z.string() }) }).optional(),
        pending_operations: z.array(z.unknown()).optional(),
        resources: z
          .array(
            z.looseObject({
              urn: z.string(),
              type: z.string(),
              id: z.string().optional(),
              protect: z.boolean().optional(),
              retainOnDelete: z.boolean().optional(),
              inputs: z.unknown().optional(),
              outputs: z.unknown().optional(),
              dependencies: z.array(z.string()).optional(),
              propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).optional(),
              deletedWith: z.string().optional(),
            }),
          )
          .optional(),
      })
      .nullish(),
  }),
});
type CheckpointFile = z.infer<typeof CheckpointFile>;

/** A checkpoint that can be laid out for a run. */
export interface ReadableCheckpoint {
  readonly text: Checkpoint;
  /** Salt from which the key of this stack's secrets is derived. */
  readonly salt: string;
}

/** Whether the engine shall refuse to replace the members' StatefulSet, or to delete it. */
export type Protection = "protected" | "unprotected";

/**
 * Checks a stored checkpoint and drops its pending operations: names are explicit, so what an interrupted run may have
 * created is adopted when it is created again. Undefined where the text is no checkpoint, or one of another stack: a run with
 * that would delete the other's children. What the last run left of protection does not count: one by an earlier version
 * of the operator left none.
 */
export function readCheckpoint(
  text: Checkpoint,
  stack: string,
  protection: Protection = "unprotected",
): ReadableCheckpoint | undefined {
  const file = parse(text, stack);
  const latest = file?.checkpoint.latest;
  const salt = latest?.secrets_providers?.state.salt;
  if (!latest || salt === undefined) return undefined;
  delete latest.pending_operations;
  latest.resources?.forEach((resource) => {
    protect(resource, protection);
  });
  return { text: JSON.stringify(file), salt };
}

function protect(resource: { type: string; protect?: boolean | undefined }, protection: Protection): void {
  delete resource.protect;
  if (protection === "protected" && resource.type === workloadType) resource.protect = true;
}

/** The state of a stack that never ran: what `pulumi stack init` would write, without a process of its own for it. */
export function emptyCheckpoint(stack: string, salt: string): ReadableCheckpoint {
  const latest = {
    manifest: { time: "0001-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: { salt } },
    metadata: {},
  };
  const checkpoint = { stack: `organization/${project}/${stack}`, latest };
  return { text: JSON.stringify({ version: 3, checkpoint }), salt };
}

function parse(text: Checkpoint, stack: string): CheckpointFile | undefined {
  const { data } = CheckpointFile.safeParse(parseJson(text));
  const resources = data?.checkpoint.latest?.resources ?? [];
  return resources.every(({ urn }) => urn.startsWith(`urn:pulumi:${stack}::${project}::`)) ? data : undefined;
}

const Applied = z.object({ metadata: z.object({ uid: z.string(), generation: z.number() }) });

/** Which StatefulSet the run left, at which generation; undefined where the checkpoint has none. */
export function workloadOf(text: Checkpoint): AppliedWorkload | undefined {
  const resources = CheckpointFile.safeParse(parseJson(text)).data?.checkpoint.latest?.resources ?? [];
  const workload = resources.find(({ type }) => type === workloadType);
  return Applied.safeParse(workload?.outputs).data?.metadata;
}

const Templated = z.object({ spec: z.object({ template: z.unknown() }) });

/** The pod template that the last run declared for the members; undefined where the checkpoint has none. */
export function memberTemplateIn(text: Checkpoint): unknown {
  const resources = CheckpointFile.safeParse(parseJson(text)).data?.checkpoint.latest?.resources ?? [];
  const workload = resources.find(({ type }) => type === workloadType);
  return Templated.safeParse(workload?.inputs).data?.spec.template;
}

/** The provider's ids are `namespace/name`. */
const childNamed = (type: string, id: string): ChildName =>
  `${type.split(":").at(-1) ?? ""} ${id.split("/").at(-1) ?? ""}`;

/** The checkpoint by which these stay in the cluster where nothing declares them any more; what is declared is as that says. */
export function retain(text: Checkpoint, children: ReadonlySet<ChildName>): Checkpoint {
  const { data } = CheckpointFile.safeParse(parseJson(text));
  const latest = data?.checkpoint.latest;
  if (children.size === 0 || latest?.resources === undefined) return text;
  for (const resource of latest.resources)
    if (children.has(childNamed(resource.type, resource.id ?? ""))) resource.retainOnDelete = true;
  return JSON.stringify(data);
}

const Uid = z.object({ metadata: z.object({ uid: z.string() }) });

/** The cluster's objects in the checkpoint, as the last run left them; undefined where it cannot be read. */
export function childrenIn(text: Checkpoint, stack: string): ReadonlyMap<ChildName, DeclaredChild> | undefined {
  const file = parse(text, stack);
  if (file?.checkpoint.latest == null) return undefined;
  const children = new Map<ChildName, DeclaredChild>();
  for (const { urn, type, id, outputs } of file.checkpoint.latest.resources ?? []) {
    const uid = Uid.safeParse(outputs).data?.metadata.uid;
    if (uid === undefined || id === undefined) continue;
    const { digest, paths } = ownFieldsOf(outputs, fieldManager);
    children.set(childNamed(type, id), { urn, uid, applied: digest, fields: paths });
  }
  return children;
}

/** What shows whether those objects are still as the last run left them; undefined where the checkpoint cannot be read. */
export function marksIn(text: Checkpoint, stack: string): ChildMarks | undefined {
  const children = childrenIn(text, stack);
  return children && new Map([...children].map(([child, { uid, applied }]) => [child, { uid, applied }]));
}

/**
 * The checkpoint without these resources and whatever refers to them: the next run creates them again, by server-side
 * apply over what exists. An ordinary run would only compare with what it had declared itself.
 */
export function forget(text: Checkpoint, urns: ReadonlySet<string>): Checkpoint {
  if (urns.size === 0) return text;
  const { data } = CheckpointFile.safeParse(parseJson(text));
  const latest = data?.checkpoint.latest;
  if (latest?.resources === undefined) return text;
  const stays = (urn: string): boolean => !urns.has(urn);
  latest.resources = latest.resources
    .filter(({ urn }) => stays(urn))
    .map(({ dependencies, propertyDependencies, deletedWith, ...resource }) => ({
      ...resource,
      ...(dependencies && { dependencies: dependencies.filter(stays) }),
      ...(propertyDependencies && { propertyDependencies: staying(propertyDependencies, stays) }),
      ...(deletedWith !== undefined && stays(deletedWith) && { deletedWith }),
    }));
  return JSON.stringify(data);
}

type PropertyDependencies = Readonly<Record<string, readonly string[] | null>>;

function staying(dependencies: PropertyDependencies, stays: (urn: string) => boolean): Record<string, string[] | null> {
  const entries = Object.entries(dependencies);
  return Object.fromEntries(entries.map(([property, urns]) => [property, urns && urns.filter(stays)]));
}
