// What the reconcile knows of a change before it carries it out, by a preview of it: what passes beside a release does so before it asks.
import type { Foresee } from "../domain/foreseen";
import type { ResidentPreviews } from "../preview/resident";

/** Longest preview, in milliseconds: over the CLI it takes several seconds of two processes. */
const deadlineMs = 120_000;

/** See the header. What others changed is left aside: it is restored in any case. */
export const foresee =
  (previews: ResidentPreviews): Foresee =>
  async (object) => {
    const signal = AbortSignal.timeout(deadlineMs);
    const found = await previews({ object, remove: false, leavesDrift: true, isWhole: true, signal });
    switch (found.kind) {
      case "plan": {
        const { digest, wish = "", consequences: effects, primary } = found;
        return { kind: "plan", digest, wish, effects, primary };
      }
      case "stalled":
        return { kind: "stalled", reason: found.reason, message: found.message };
      case "failed":
      case "rejected":
      case "skipped":
        return { kind: "failed", message: found.message };
      case "backup":
        return { kind: "failed", message: "it is no Database" };
    }
  };
