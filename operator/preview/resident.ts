// Previews inside the operator: by its own client and its own Pulumi, which are open already.
import type { Assumed } from "../api/assumed";
import type { DatabaseProgram } from "../domain/desired";
import type { Ports, World } from "../domain/ports";
import type { StackPreviewer } from "../domain/runner";
import { clusterThrough } from "./cluster";
import type { DryClient } from "./dry-client";
import type { Previewed } from "./plan";
import type { PlatformPolicies } from "./policy-note";
import { prepareApply, prepareDeletion } from "./prepare";
import { previewed } from "./run";

export interface ResidentOptions {
  readonly client: DryClient;
  /** The operator's. */
  readonly namespace: string;
  readonly world: Pick<World, "catalogue" | "serviceMonitors">;
  readonly placement: Ports["placement"];
  readonly stacks: StackPreviewer<DatabaseProgram>;
  readonly policies: PlatformPolicies;
}

/** What is asked: the object as it would be after an apply, or the one that would be deleted. */
export interface ResidentQuestion {
  readonly object: unknown;
  readonly remove: boolean;
  /** What others changed is left aside, as it is restored without this change, too. Default: it is a part of what is told. */
  readonly leavesDrift?: boolean;
  /** See PrepareOptions. */
  readonly isWhole?: boolean;
  /** Default: nothing. */
  readonly assumed?: Assumed | undefined;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

export type ResidentPreviews = (question: ResidentQuestion) => Promise<Previewed>;

/** Rejects where the cluster cannot be read. */
export const residentPreviews =
  ({ client, namespace, world, placement, stacks, policies }: ResidentOptions): ResidentPreviews =>
  async ({ object, remove, leavesDrift, isWhole, assumed, signal }) => {
    const { catalogue, serviceMonitors } = world;
    const cluster = clusterThrough(client, namespace, { catalogue, serviceMonitors, placement, assumed });
    const prepared = await (remove ? prepareDeletion : prepareApply)(object, cluster, {
      refresh: false,
      ...{ leavesDrift, isWhole },
      policies,
    });
    if (prepared.kind !== "change" && prepared.kind !== "deletion") return prepared;
    signal.throwIfAborted();
    return previewed(prepared, { preview: (request) => stacks.preview({ ...request, signal }) });
  };
