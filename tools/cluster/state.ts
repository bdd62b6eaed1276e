// What a cluster's directory remembers between commands.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { ProcessIdentity } from "../host/identity";
import { isCode } from "../host/lock";
import type { Layout } from "./layout";
import { NodeKind } from "./nodes/nodes";

/** A cluster as its directory remembers it. */
export const ClusterState = z.object({
  name: z.string(),
  nodes: NodeKind,
  /** ISO 8601. */
  created: z.iso.datetime(),
  apiServerPort: z.int().positive(),
  etcdPort: z.int().positive(),
  /** `starting` until the first start has succeeded. */
  phase: z.enum(["starting", "running"]),
  /** The process whose end ends the cluster; absent for a cluster that outlives the command that created it. */
  parent: ProcessIdentity.optional(),
});
export type ClusterState = z.infer<typeof ClusterState>;

/** The state in a cluster's directory; undefined when there is none. Throws when it cannot be read. */
export async function readState(layout: Layout): Promise<ClusterState | undefined> {
  try {
    return ClusterState.parse(JSON.parse(await readFile(layout.state, "utf8")));
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new Error(`${layout.state} is damaged; end the cluster with \`cluster down\``, { cause: error });
  }
}

/** Writes the state in one step. */
export async function writeState(layout: Layout, state: ClusterState): Promise<void> {
  const draft = `${layout.state}.draft`;
  await writeFile(draft, JSON.stringify(state, undefined, 2));
  await rename(draft, layout.state).finally(() => rm(draft, { force: true }));
}
