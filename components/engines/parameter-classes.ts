// What it would do to set a parameter: every one of an engine has a class, with a reason, and the class alone decides whether it is taken.

/** The classes of parameters. What they say is in docs/parameters.md, which is generated. */
export const parameterClasses = {
  safe: { title: "safe", isTaken: true, text: "running members apply it within seconds" },
  restart: { title: "needs restart", isTaken: true, text: "it is accepted, and members restart, one after the other" },
  losesData: {
    title: "loses data",
    isTaken: false,
    text: "confirmed commits could be lost, or damaged data accepted as valid",
  },
  locksOut: {
    title: "locks out",
    isTaken: false,
    text: "applications, or the programs of the members themselves, could no longer work, or the server would not start",
  },
  escapes: {
    title: "escapes",
    isTaken: false,
    text: "it reaches beyond the database: files, libraries and programs of the pod, or secrets",
  },
  owned: {
    title: "owned by the operator",
    isTaken: false,
    text: "the operator, the members' own programs, the image or the data decide it, or it has no effect in a pod",
  },
} as const satisfies Readonly<Record<string, { title: string; isTaken: boolean; text: string }>>;

export type ParameterClass = keyof typeof parameterClasses;

/** Parameters of one class, for one reason. Whether a safe one needs a restart is in the server's own table. */
export interface ParameterGroup {
  readonly class: Exclude<ParameterClass, "restart">;
  /** Of those that are taken: what they are about. Of the others: why not, and what to do instead. */
  readonly reason: string;
  /** Names, apart by white space. One that ends in * stands for all that begin so and are in no other group by a longer name. */
  readonly names: string;
}

/** Values that are refused of a parameter that is taken otherwise. `Kind`: what an engine knows of its parameters. */
export interface ParameterBound<Kind> {
  /** What a value beyond the bound would do. */
  readonly class: Exclude<ParameterClass, "safe" | "restart">;
  readonly reason: string;
  /** In the server's own units. Default: all that the server takes. */
  readonly within?: Partial<Kind>;
  /** What must not be in the text, in whatever case. Default: nothing. */
  readonly excludes?: string;
  /** What must be in the text, in whatever case. Default: nothing. */
  readonly requires?: string;
  /** A number beyond `within` that is taken, too, where it means "never" or "no limit". Default: none. */
  readonly or?: number;
}

/** What the servers of any engine may say of a parameter. */
export interface ParameterDescription {
  readonly type?: string;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  /** Whether a member applies a new value only by a restart. */
  readonly restart?: boolean;
  /** Whether it cannot be set at all. */
  readonly fixed?: boolean;
}

/** Every parameter of an engine. */
export interface ParameterCatalogue {
  /** What the servers say, by version or release series, the oldest first. */
  readonly tables: ReadonlyMap<string, Readonly<Record<string, ParameterDescription>>>;
  readonly groups: readonly ParameterGroup[];
  readonly groupOf: GroupOf;
  readonly bounds: ReadonlyMap<string, ParameterBound<ParameterDescription>>;
}

/** A finished look-up: the group of a parameter, undefined for one that is in none. */
export type GroupOf = (parameter: string) => ParameterGroup | undefined;

export const namesIn = ({ names }: ParameterGroup): string[] => names.split(/\s+/).filter((name) => name !== "");

/** Throws where a name is written twice. */
export function groupsByName(groups: readonly ParameterGroup[]): GroupOf {
  const exact = new Map<string, ParameterGroup>();
  for (const group of groups) {
    for (const name of namesIn(group)) {
      if (exact.has(name)) throw new Error(`parameter ${name} is in two groups`);
      exact.set(name, group);
    }
  }
  const families = [...exact.keys()]
    .filter((name) => name.endsWith("*"))
    .map((name) => name.slice(0, -1))
    .sort((left, right) => right.length - left.length);
  return (parameter) => {
    const family = families.find((prefix) => parameter.startsWith(prefix));
    return exact.get(parameter) ?? (family === undefined ? undefined : exact.get(`${family}*`));
  };
}

/** Why a parameter is not taken, whatever its value; undefined where it is. */
export function refusalOf(group: ParameterGroup | undefined): string | undefined {
  return group === undefined || parameterClasses[group.class].isTaken ? undefined : `cannot be set: ${group.reason}`;
}

/** Says what `value` should be instead: by what the server takes of a parameter of this kind, and then by the bound, with its reason. */
export function boundedProblem<Kind extends object>(
  value: string,
  kind: Kind,
  bound: ParameterBound<Kind> | undefined,
  problemOf: (value: string, kind: Kind) => string | undefined,
): string | undefined {
  const own = problemOf(value, kind);
  if (own !== undefined || bound === undefined) return own;
  if (Number.parseFloat(value) === bound.or) return undefined;
  const problem = textProblem(value, bound) ?? problemOf(value, { ...kind, ...bound.within });
  return problem && `${problem}: ${bound.reason}`;
}

function textProblem(
  value: string,
  { excludes, requires }: Pick<ParameterBound<never>, "excludes" | "requires">,
): string | undefined {
  const has = (part: string): boolean => value.toLowerCase().includes(part.toLowerCase());
  if (excludes !== undefined && has(excludes)) return `must not contain ${excludes}`;
  return requires === undefined || has(requires) ? undefined : `must contain ${requires}`;
}
