// Flags in the forms that kubectl takes and Node's parser does not: `-n=shop`, `-A=true`, `--watch=false`.
import { flagOf, type FlagName } from "./flags";

/** The same words, as Node's parser takes them. */
export function spelledOut(args: readonly string[], known: readonly FlagName[]): string[] {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  return [...flags.flatMap((arg) => one(arg, known)), ...args.slice(flags.length)];
}

function one(arg: string, known: readonly FlagName[]): string[] {
  const [, dashes, written, value = ""] = /^(--?)([^-=][^=]*)=(.*)$/s.exec(arg) ?? [];
  const flag = known.find((name) => (dashes === "--" ? name : flagOf(name).short) === written);
  if (written === undefined || flag === undefined) return [arg];
  if (flagOf(flag).type === "string") return [`--${flag}=${value}`];
  if (value === "true") return [`--${flag}`];
  return value === "false" ? [] : [arg];
}
