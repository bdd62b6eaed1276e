// What is printed for programs.
import type { Format } from "../command/asked";

/** As JSON or YAML, with a line break at its end. */
export async function documentText(value: unknown, format: Extract<Format, "json" | "yaml">): Promise<string> {
  if (format === "json") return `${JSON.stringify(value, undefined, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0 });
}

/** Several objects, as kubectl prints them. */
export const listOf = (items: readonly unknown[]): unknown => ({ apiVersion: "v1", kind: "List", items });
