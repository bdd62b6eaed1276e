// Reads values of MongoDB parameters, as the server's configuration takes them.

/** What a value must be, and whether only a start of the server applies it. */
export type ParameterKind = { readonly restart: boolean } & (
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly values: readonly string[] }
  | { readonly type: "integer" | "number"; readonly min: number; readonly max?: number }
);

/** Says what `value` should be instead, or nothing when the server accepts it for a parameter of this kind. */
export function valueProblem(value: string, kind: ParameterKind): string | undefined {
  switch (kind.type) {
    case "boolean":
      return value === "true" || value === "false" ? undefined : 'must be "true" or "false"';
    case "choice":
      return kind.values.includes(value) ? undefined : `must be one of ${kind.values.join(", ")}`;
    case "integer":
      return /^-?\d{1,15}$/.test(value) ? rangeProblem(Number(value), kind) : "must be a whole number";
    case "number":
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(value) ? rangeProblem(Number(value), kind) : "must be a number";
  }
}

function rangeProblem(
  value: number,
  { min, max }: { readonly min: number; readonly max?: number },
): string | undefined {
  if (value < min) return `must be at least ${min}`;
  return max !== undefined && value > max ? `must be at most ${max}` : undefined;
}
