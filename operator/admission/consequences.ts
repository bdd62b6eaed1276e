// Of what the author of a change is warned: what it means for those who use the database. A courtesy: it holds up nothing, and refuses nothing.
import { companionFieldManager, fieldManager } from "../../components/naming";
import { effects } from "../../contract/effects";
import type { Consequence } from "../consequences/consequence";
import { shortened } from "../domain/shortened";

/** What the change to this object leads to. Rejects where that is not known. */
export type TellConsequences = (object: unknown) => Promise<readonly Consequence[]>;

/** Longest warning that every client shows whole, in characters, and the most at a time. */
const longest = 120;
const most = 5;

/** From this one on an effect is worth a warning. */
const lightest = effects.indexOf("Exposure");

/** Whose changes need none: the operator's own, dry runs of previews among them. */
const own: ReadonlySet<string> = new Set([fieldManager, companionFieldManager]);

/** What is known of a change. */
export interface ToldChange {
  readonly object: unknown;
  /** Who writes; undefined where that is not known. */
  readonly fieldManager: string | undefined;
  /** When it is no longer worth the wait, as `performance.now` tells it. */
  readonly until: number;
}

/** In time, or none. Never rejects. */
export async function consequenceWarnings(
  { object, fieldManager: writer, until }: ToldChange,
  tell: TellConsequences,
): Promise<string[]> {
  const left = until - performance.now();
  if (left <= 0 || (writer !== undefined && own.has(writer))) return [];
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly Consequence[]>();
  const timer = setTimeout(giveUp, left, []);
  try {
    return warningsOf(await Promise.race([tell(object), late]));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Of what happens now, and is noticed. */
export function warningsOf(consequences: readonly Consequence[]): string[] {
  const noticed = consequences.filter(
    ({ effect, waitsFor }) => waitsFor === undefined && effects.indexOf(effect) >= lightest,
  );
  return noticed.slice(0, most).map(({ message }) => shortened(message, longest));
}
