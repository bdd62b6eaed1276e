// What the webhook tells of a change, by a preview of it.
import type { TellConsequences } from "../admission/consequences";
import type { ResidentPreviews } from "../preview/resident";

/** Longest preview whose author has stopped waiting, in milliseconds: what was read for it is not thrown away at once. */
const deadlineMs = 20_000;

/** One at a time, and of what comes meanwhile nothing is told: many changes at once must not take the processor from their own runs. */
export function tellConsequences(previews: ResidentPreviews): TellConsequences {
  let isBusy = false;
  return async (object) => {
    if (isBusy) return [];
    isBusy = true;
    try {
      const found = await previews({ object, remove: false, signal: AbortSignal.timeout(deadlineMs) });
      return found.kind === "plan" && !found.isHeld ? found.consequences : [];
    } finally {
      isBusy = false;
    }
  };
}
