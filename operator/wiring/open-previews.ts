// Previews by the operator itself: every operator can tell what a change means, whether it leads or not.
import { fieldManager } from "../../components/naming";
import type { Config } from "../config";
import type { DatabaseProgram } from "../domain/desired";
import type { StackPreviewer } from "../domain/runner";
import type { Access } from "../kube/client";
import { openPlacement } from "../kube/placement";
import type { LiveWorld } from "../kube/world";
import { DryClient } from "../preview/dry-client";
import { residentPreviews, type ResidentPreviews } from "../preview/resident";

/** What they are computed with. */
interface Previewing {
  readonly world: LiveWorld;
  readonly stacks: StackPreviewer<DatabaseProgram>;
}

/** See the header. Its client has connections of its own: what is asked much must not delay what is due. */
export function openPreviews(
  access: Access,
  config: Config,
  { world, stacks }: Previewing,
): { readonly previews: ResidentPreviews; readonly close: () => Promise<void> } {
  const client = new DryClient(access, fieldManager);
  const placement = openPlacement(client, config);
  const { namespace } = config;
  return {
    previews: residentPreviews({ client, namespace, world, placement, stacks }),
    close: () => client.close(),
  };
}
