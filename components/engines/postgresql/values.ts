// Reads PostgreSQL parameter values as the server does: booleans, enumerations, numbers with units.

/** What the server says about a parameter. */
export interface ParameterKind {
  readonly type: "bool" | "enum" | "integer" | "real" | "string";
  /** Unit of a bare number, such as "kB", "8kB" or "ms". */
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** Of an enumeration its values, of shared_preload_libraries those that the image has. */
  readonly values?: readonly string[];
  /** Whether a member applies a new value only by a restart. */
  readonly restart?: boolean;
  /** Whether it cannot be set at all. */
  readonly fixed?: boolean;
}

const kib = 1024;
const bytes: Readonly<Record<string, number>> = {
  B: 1,
  kB: kib,
  "8kB": 8 * kib,
  MB: kib ** 2,
  GB: kib ** 3,
  TB: kib ** 4,
};
const milliseconds: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const booleans: ReadonlyMap<string, "on" | "off"> = new Map([
  ...["on", "true", "yes", "1"].map((text): [string, "on"] => [text, "on"]),
  ...["off", "false", "no", "0"].map((text): [string, "off"] => [text, "off"]),
]);

/** Says what `value` should be instead, or nothing when the server accepts it for a parameter of this kind. */
export function valueProblem(value: string, kind: ParameterKind): string | undefined {
  switch (kind.type) {
    case "string":
      return undefined;
    case "bool":
      return booleans.has(value.toLowerCase()) ? undefined : `must be "on" or "off"`;
    case "enum":
      return enumProblem(value.toLowerCase(), kind.values ?? []);
    case "integer":
    case "real":
      return numberProblem(value, kind);
  }
}

function enumProblem(value: string, values: readonly string[]): string | undefined {
  // Where "on" is a value, the server takes the other spellings of a boolean too, without listing them.
  const isOneOf = (text: string | undefined): boolean => values.some((known) => known.toLowerCase() === text);
  if (isOneOf(value) || isOneOf(booleans.get(value))) return undefined;
  return `must be one of ${values.filter((known) => known !== "").join(", ")}`;
}

function numberProblem(value: string, { unit, min, max }: ParameterKind): string | undefined {
  const number = numberOf(value, unit);
  if (number === undefined) return unit === undefined ? "must be a number" : `must be a number, ${unitHint(unit)}`;
  const rounded = Math.round(number);
  if (min !== undefined && number < min && rounded < min) return `must be at least ${min}${unit ?? ""}`;
  if (max !== undefined && rounded > max) return `must be at most ${max}${unit ?? ""}`;
  return undefined;
}

/** `value` in bytes, of a parameter with a unit of memory or without any; nothing when it is no such number. */
export function bytesOf(value: string, unit = "B"): number | undefined {
  const [number, size] = [numberOf(value, unit), bytes[unit]];
  return number === undefined || size === undefined ? undefined : number * size;
}

/** `value` as a multiple of `unit`, or nothing when it is no number or has a unit that does not fit. */
function numberOf(value: string, unit: string | undefined): number | undefined {
  const match = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)\s*$/.exec(value);
  const [, digits, suffix] = match ?? [];
  if (digits === undefined || suffix === undefined) return undefined;
  const number = Number(digits);
  if (suffix === "") return number;
  if (unit === undefined) return undefined;
  const scale = unit in bytes ? bytes : milliseconds;
  const [from, to] = [scale[suffix], scale[unit]];
  return from === undefined || to === undefined ? undefined : (number * from) / to;
}

function unitHint(unit: string): string {
  const units = unit in bytes ? "B, kB, MB, GB or TB" : "us, ms, s, min, h or d";
  return `with one of the units ${units}, or without a unit in ${unit}`;
}
