// What a change means for those who use the database, as data. The words for people come with it: `message` is a sentence of a preview.

/** What can happen, from the lightest to the weightiest. */
export const effects = [
  /** Clients notice nothing. */
  "None",
  /** Servers read their settings again, while they serve. */
  "Reload",
  /** Nothing for now; but what may fail later takes more with it than it would have. */
  "Exposure",
  /** Members go for good: their connections end, and their volumes stay. */
  "Removal",
  /** Members restart, one after the other: their connections end. */
  "RollingRestart",
  /** Another member becomes primary: clients that write reconnect. */
  "Switchover",
  /** No member serves, or none takes writes, for a while. */
  "Downtime",
  /** It depends on what cannot be seen before. */
  "CannotBeTold",
  /** Clients do not find some of their data again, or backups of them are gone for good. */
  "DataLoss",
] as const;
export type Effect = (typeof effects)[number];

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
