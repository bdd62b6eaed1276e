// Reads values of MySQL parameters as the server's command line does: booleans, enumerations, numbers with K, M, G.

/** What the server says about a parameter. */
export interface ParameterKind {
  readonly type: "bool" | "enum" | "integer" | "real" | "string";
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  /** Whether a member applies a new value only by a restart. */
  readonly restart?: boolean;
}

const booleans: Readonly<Record<string, "ON" | "OFF">> = {
  on: "ON",
  off: "OFF",
  true: "ON",
  false: "OFF",
  "1": "ON",
  "0": "OFF",
};

const suffixes = ["", "k", "m", "g", "t", "p", "e"];

/** Says what `value` should be instead, or nothing when the server accepts it for a parameter of this kind. */
export function valueProblem(value: string, kind: ParameterKind): string | undefined {
  switch (kind.type) {
    case "string":
      return undefined;
    case "bool":
      return Object.hasOwn(booleans, value.toLowerCase()) ? undefined : `must be "ON" or "OFF"`;
    case "enum":
      return enumProblem(value, kind.values ?? []);
    case "integer":
    case "real":
      return numberProblem(value, kind);
  }
}

/** The value as a running server takes it: it knows no suffixes there, and no other words for ON and OFF. */
export function valueOf(value: string, kind: ParameterKind): string | number {
  switch (kind.type) {
    case "string":
      return value;
    case "bool":
      return booleans[value.toLowerCase()] ?? value;
    case "enum":
      return kind.values?.find((known) => known.toLowerCase() === value.toLowerCase()) ?? value;
    case "integer":
    case "real":
      return numberOf(value, kind) ?? value;
  }
}

function enumProblem(value: string, values: readonly string[]): string | undefined {
  const isKnown = values.some((known) => known.toLowerCase() === value.toLowerCase());
  return isKnown ? undefined : `must be one of ${values.join(", ")}`;
}

function numberProblem(value: string, kind: ParameterKind): string | undefined {
  const number = numberOf(value, kind);
  if (number === undefined) {
    return kind.type === "integer" ? "must be a whole number, if need be with K, M, G or T" : "must be a number";
  }
  if (kind.min !== undefined && number < kind.min) return `must be at least ${kind.min}`;
  if (kind.max !== undefined && number > kind.max) return `must be at most ${kind.max}`;
  return undefined;
}

function numberOf(value: string, { type }: ParameterKind): number | undefined {
  const pattern = type === "integer" ? /^(-?\d+)([kmgtpe]?)$/i : /^(-?(?:\d+\.?\d*|\.\d+))()$/;
  const [, digits, suffix = ""] = pattern.exec(value.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024 ** suffixes.indexOf(suffix.toLowerCase());
}
