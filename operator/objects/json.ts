// JSON where its form matters: text that may be none, and values that must be digested.

/** The value of a JSON text; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys: the order in which fields were written is no difference. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) => (isRecord(nested) ? sorted(nested) : nested));
}

/** Whether `value` is an object with fields, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
