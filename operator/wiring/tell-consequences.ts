// What the webhook tells of a change, by a preview of it.
import type { TellConsequences } from "../admission/consequences";
import { weightiest, type Consequence } from "../consequences/consequence";
import { besideText, withReleaseText } from "../reconcile/beside-texts";
import type { Plan } from "../preview/plan";
import type { ResidentPreviews } from "../preview/resident";
import { awaitedIn } from "../preview/waits";

/** Longest preview whose author has stopped waiting, in milliseconds: what was read for it is not thrown away at once. */
const deadlineMs = 20_000;

export interface TellOptions {
  /** Whether a preview can be there in time: over the CLI it takes several seconds of two processes, all in vain. */
  readonly isQuick: () => boolean;
  /** The present time, in milliseconds. */
  readonly now?: () => number;
}

/** That it waits, or for what a release beside it does, before what it does then. */
function toldOf({ waits, withRelease, left, consequences }: Plan): readonly Consequence[] {
  const words = [
    ...(waits === undefined ? [] : [`it does not happen now: ${waits}`]),
    ...(withRelease === undefined ? [] : [withReleaseText(withRelease)]),
    ...(left === undefined ? [] : [besideText(awaitedIn(left.waits))]),
  ];
  // a looser policy alone is worth a word, too
  const effect = weightiest(["Exposure", ...(waits === undefined ? [] : consequences.map((one) => one.effect))]);
  return [...words.map((message) => ({ effect, members: [], message })), ...consequences];
}

/**
 * One at a time, then none for as long as that took, and of what comes meanwhile nothing is told: many changes at once must not take the processor from
 * their own runs, and any client that reaches the port of the webhooks may ask.
 */
export function tellConsequences(
  previews: ResidentPreviews,
  { isQuick, now = () => performance.now() }: TellOptions,
): TellConsequences {
  let free = -Infinity;
  return async (object) => {
    const begun = now();
    if (begun < free || !isQuick()) return [];
    free = Infinity;
    try {
      const found = await previews({ object, remove: false, signal: AbortSignal.timeout(deadlineMs) });
      return found.kind === "plan" ? toldOf(found) : [];
    } finally {
      const ended = now();
      free = ended + (ended - begun);
    }
  };
}
