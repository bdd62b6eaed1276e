// Parameters that came with the pod, as lines of the server's configuration.
import { text } from "node:stream/consumers";
import { z } from "zod";

const Parameters = z.record(z.string(), z.looseObject({ value: z.union([z.string(), z.number()]) }));

/** Runs the program: JSON in, name to an object with its value; lines out. */
export async function writeParameters(): Promise<void> {
  process.stdout.write(linesOf(JSON.parse(await text(process.stdin))));
}

/** A line for each parameter. Throws where it is none. */
export const linesOf = (parameters: unknown): string =>
  Object.entries(Parameters.parse(parameters))
    .map(([name, { value }]) => `${name} = ${quoted(String(value))}\n`)
    .join("");

/** Between quotes a backslash escapes. */
const quoted = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
