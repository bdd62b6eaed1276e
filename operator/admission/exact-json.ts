// JSON whose numbers go out as they came in: JavaScript's own would shorten 1.0, and round what has more than 15 digits.

/** What Node has and TypeScript does not know of yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  /** A value that `stringify` writes as this text. */
  rawJSON(text: string): unknown;
}

const exact = JSON as unknown as ExactJson;

/** Parses JSON for `JSON.stringify`: a number that JavaScript would write differently is no number, and must be left alone. */
export function parseExactly(text: string): unknown {
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}
