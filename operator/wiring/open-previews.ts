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
  /** Ends those in progress when this process is to end: its Pulumi ends once all runs have. */
  readonly ending: AbortSignal;
}

/** See the header. Its client has connections of its own: what is asked much must not delay what is due. */
export function openPreviews(
  access: Access,
  config: Config,
  { world, stacks, ending }: Previewing,
): { readonly previews: ResidentPreviews; readonly close: () => Promise<void> } {
  const client = new DryClient(access, fieldManager);
  const placement = openPlacement(client, config);
  const { namespace, changes } = config;
  const previews = residentPreviews({ client, namespace, world, placement, stacks, policies: changes });
  return {
    previews: unlessEnding(previews, ending),
    close: () => client.close(),
  };
}

/** Rejects with the reason of the end, where there is one, whatever a preview says that was broken off. */
export const unlessEnding =
  (previews: ResidentPreviews, ending: AbortSignal): ResidentPreviews =>
  async (question) => {
    ending.throwIfAborted();
    const found = await previews({ ...question, signal: AbortSignal.any([question.signal, ending]) });
    ending.throwIfAborted();
    return found;
  };
