// The log of an agent: one line of JSON each, a constant sentence and fields. No secret is ever a field.
import { stdout } from "node:process";

/** Fields of a line. */
export type Fields = Readonly<Record<string, unknown>>;

/** Writes a line. */
export function log(message: string, fields: Fields = {}): void {
  stdout.write(`${JSON.stringify({ time: new Date().toISOString(), message, ...fields })}\n`);
}

/** What an error says, on one line. */
export function textOf(error: unknown): string {
  // where a name has several addresses, and none answers
  if (error instanceof AggregateError && error.message === "") return error.errors.map(textOf).join("; ");
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").trim();
}
