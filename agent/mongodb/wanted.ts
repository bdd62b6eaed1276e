// What the operator wants of the members, from the ConfigMap `<name>-config`.
import { z } from "zod";
import type { MemberConfiguration } from "../../contract/member";

const Parameter = z.object({
  value: z.string(),
  /** Whether it takes effect only at a start of the server. */
  restart: z.boolean(),
});

/** Parameters by name: options of the configuration file have dots in theirs, server parameters have none. */
export const Parameters = z.record(z.string(), Parameter);
export type Parameters = Readonly<z.infer<typeof Parameters>>;

/** The contents of the ConfigMap's key `member.json`. */
export const Wanted = z.object({
  /** How many members there are to be. */
  replicas: z.int().positive(),
  parameters: Parameters,
}) satisfies z.ZodType<MemberConfiguration>;
export type Wanted = z.infer<typeof Wanted>;

/** A value as the server's configuration and `setParameter` accept it: numbers and booleans are not text there. */
export function typedValue(value: string): string | number | boolean {
  if (value === "true" || value === "false") return value === "true";
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
