// What a preview promises of the members: read out of the sentences that people read, and compared with the data that come with them.
import type { Consequence } from "../../operator/consequences/consequence";
import type { Plan } from "../../operator/preview/plan";

/** What becomes of the members that there are already. */
export type Restarts =
  | { readonly kind: "none" }
  /** No node has room: none for now, and the members must be restarted later. */
  | { readonly kind: "held" }
  /** Each of them once, in this order. */
  | { readonly kind: "these"; readonly members: readonly string[] }
  /** Each once; in which order is not said. */
  | { readonly kind: "all" };

export interface Prediction {
  readonly restarts: Restarts;
  /** Whether all members restart once more, after those. */
  readonly again?: true;
  /** Whether another member becomes primary. */
  readonly switchover: boolean;
}

const still: Prediction = { restarts: { kind: "none" }, switchover: false };

/** Throws where the words are none that a change of a running Database can have, or where the data say something else. */
export function predictionOf({
  database,
  notes,
  consequences,
}: Pick<Plan, "database" | "notes" | "consequences">): Prediction {
  if (notes.some((note) => note.startsWith("spec.paused is true"))) return still;
  const words = predictionIn(
    database,
    consequences.map(({ message }) => message),
  );
  const data = predictionBy(consequences);
  const isSame =
    data.switchover === words.switchover && data.again === words.again && matches(data.restarts, words.restarts);
  if (!isSame) throw new Error(`words and data differ: ${JSON.stringify({ words, data })}`);
  return words;
}

/** By the data; only that members restart once more is read from the words. */
function predictionBy(consequences: readonly Consequence[]): Prediction {
  const now = consequences.filter((one) => one.waitsFor === undefined && !isAgain(one.message));
  const isRestart = ({ effect }: Consequence): boolean => effect === "RollingRestart" || effect === "Downtime";
  // what else their restarts mean is said of the same members
  const members = [...new Set(now.filter(isRestart).flatMap((one) => one.members))];
  const isHeld = consequences.some((one) => isRestart(one) && one.waitsFor !== undefined);
  const again = consequences.some((one) => isAgain(one.message) && isRestart(one) && one.waitsFor === undefined);
  return {
    restarts: members.length > 0 ? { kind: "these", members } : { kind: isHeld ? "held" : "none" },
    ...(again && { again }),
    switchover: now.some(({ effect }) => effect === "Switchover"),
  };
}

/** What follows once members have restarted: the last step of two. */
const isAgain = (sentence: string): boolean => /\bmembers restart again$/.test(sentence);

/** Words that name no member say nothing of the order. */
const matches = (data: Restarts, words: Restarts): boolean =>
  words.kind === "all" ? data.kind === "these" : JSON.stringify(data) === JSON.stringify(words);

function predictionIn(database: string, consequences: readonly string[]): Prediction {
  const restarts = restartsIn(consequences, database.slice(database.indexOf("/") + 1));
  const says = (pattern: RegExp): boolean => consequences.some((sentence) => pattern.test(sentence));
  // a member that is removed goes whatever restarts wait for
  const isRemoved = says(/is the primary: another member takes over/);
  const isHeld = restarts.kind === "held";
  const again = !isHeld && consequences.some(isAgain);
  return {
    restarts,
    ...(again && { again }),
    switchover: isRemoved || (says(/another member takes over/) && !isHeld),
  };
}

function restartsIn(consequences: readonly string[], name: string): Restarts {
  if (consequences.some((sentence) => sentence.includes("until that changes no member restarts")))
    return { kind: "held" };
  const told = consequences.filter((sentence) => /\bmembers? restarts?\b/.test(sentence) && !isAgain(sentence));
  if (told.length > 1) throw new Error(`more than one thing is said of restarts: ${told.join("; ")}`);
  const [sentence = "no member restarts"] = told;
  if (sentence === "no member restarts") return { kind: "none" };
  if (sentence.startsWith("the one member restarts ")) return { kind: "these", members: [`${name}-0`] };
  const [, order = ""] = ordered.exec(sentence) ?? [];
  if (order === "the replicas from the highest number down, then the primary") return { kind: "all" };
  const members = order.replace(/(^|then )the primary /, "").split(", ");
  if (members.every((member) => /^\S+-\d+$/.test(member))) return { kind: "these", members };
  throw new Error(`nothing comparable is said of restarts: ${sentence}`);
}

const ordered = /^(?:all members restart|\d+ of \d+ members restarts?)(?:, one after the other)? \(.*?\): (.*?)(?:;|$)/;
