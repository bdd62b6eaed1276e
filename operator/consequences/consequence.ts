// What a change means for those who use the database, as data. The words for people come with it: `message` is a sentence of a preview.
import { effects, type Effect } from "../../contract/effects";

/** One thing that a change leads to. */
export interface Consequence {
  readonly effect: Effect;
  /** The members that it happens to, in this order. None: it happens to no member, or which ones is not known. */
  readonly members: readonly string[];
  /** Of downtime, where it was measured. */
  readonly aboutSeconds?: number;
  /** Why it does not happen for now; missing where it does. */
  readonly waitsFor?: string;
  /** One sentence. */
  readonly message: string;
}

/** What clients do not notice. */
export const harmless = (message: string): Consequence => ({ effect: "None", members: [], message });

/** What clients notice only where something fails later. */
export const exposure = (message: string): Consequence => ({ effect: "Exposure", members: [], message });

/** What happens to one member. */
export interface MemberEffect {
  readonly name: string;
  readonly effect: Effect;
}

/** The weightiest effect for each of `members`, and for every other one that is named. */
export function effectsByMember(consequences: readonly Consequence[], members: readonly string[]): MemberEffect[] {
  const names = [...new Set([...members, ...consequences.flatMap((one) => one.members)])];
  return names.map((name) => ({
    name,
    effect: weightiest(consequences.filter((one) => one.members.includes(name)).map(({ effect }) => effect)),
  }));
}

/** None of none. */
export const weightiest = (found: readonly Effect[]): Effect =>
  effects.findLast((effect) => found.includes(effect)) ?? "None";
