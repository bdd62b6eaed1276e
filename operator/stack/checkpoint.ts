// Reads Pulumi's checkpoints: whether one can be used, and what it says about the workload.
import { z } from "zod";
import type { AppliedWorkload, Checkpoint } from "./runner";

/** The parts of a checkpoint that a run looks at; the rest is Pulumi's. */
const CheckpointFile = z.looseObject({
  version: z.literal(3),
  checkpoint: z.looseObject({
    latest: z
      .looseObject({
        secrets_providers: z.looseObject({ state: z.looseObject({ salt: z.string() }) }).optional(),
        pending_operations: z.array(z.unknown()).optional(),
        resources: z
          .array(z.looseObject({ type: z.string(), id: z.string().optional(), outputs: z.unknown().optional() }))
          .optional(),
      })
      .nullish(),
  }),
});

/** A checkpoint that can be laid out for a run. */
export interface ReadableCheckpoint {
  readonly text: Checkpoint;
  /** Salt from which the key of this stack's secrets is derived. */
  readonly salt: string;
}

/**
 * Checks a stored checkpoint and drops its pending operations: names are explicit, so what an interrupted run may have
 * made is adopted when it is made again. Undefined where the text is no checkpoint.
 */
export function readCheckpoint(text: Checkpoint): ReadableCheckpoint | undefined {
  const parsed = CheckpointFile.safeParse(parseJson(text));
  const latest = parsed.data?.checkpoint.latest;
  const salt = latest?.secrets_providers?.state.salt;
  if (!parsed.success || !latest || salt === undefined) return undefined;
  delete latest.pending_operations;
  return { text: JSON.stringify(parsed.data), salt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Applied = z.object({ metadata: z.object({ uid: z.string(), generation: z.number() }) });

/** Which StatefulSet the run left, at which generation; undefined where the checkpoint has none. */
export function workloadOf(text: Checkpoint): AppliedWorkload | undefined {
  const resources = CheckpointFile.safeParse(parseJson(text)).data?.checkpoint.latest?.resources ?? [];
  const workload = resources.find(({ type }) => type === "kubernetes:apps/v1:StatefulSet");
  return Applied.safeParse(workload?.outputs).data?.metadata;
}

/** `Kind name` of each of the cluster's objects in the checkpoint; none where it cannot be read. */
export function objectsIn(text: Checkpoint): ReadonlySet<string> {
  const resources = CheckpointFile.safeParse(parseJson(text)).data?.checkpoint.latest?.resources ?? [];
  const kindOf = (type: string): string => type.split(":").at(-1) ?? "";
  // the provider's ids are `namespace/name`
  return new Set(resources.map(({ type, id }) => `${kindOf(type)} ${id?.split("/").at(-1) ?? ""}`));
}
