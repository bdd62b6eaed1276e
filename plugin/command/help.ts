// The texts of `--help`.
import { flagOf, type FlagName } from "./flags";
import { invocation } from "./name";
import type { Verb } from "./verb";

const widthOf = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** Of the plugin as a whole. */
export function overview(verbs: readonly Verb[]): string {
  const width = widthOf(verbs.map(({ name }) => name));
  return [
    `Usage: ${invocation} VERB [NAME] [flags]`,
    "",
    "Shows how Databases fare, what a change of one would do, and why something happened, approves changes that wait, and",
    "goes back to a former state. All but `approve`, `reject`, `rollback`, `backup`, `pause` and `resume` only read: for that",
    "the role `view` in a namespace is enough.",
    "",
    "Verbs:",
    ...verbs.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`),
    "",
    `${invocation} VERB --help says more.`,
    "",
  ].join("\n");
}

/** Of one verb. */
export function helpOf(verb: Verb): string {
  const { name, does, more, examples, formats } = verb;
  const shown: readonly FlagName[] = [...verb.flags, "help"];
  const names = shown.map(flagText);
  const width = widthOf(names);
  const lines = shown.map((flag, index) => `  ${(names[index] ?? "").padEnd(width)}  ${saidOf(flag, formats)}`);
  return [
    `Usage: ${invocation} ${name}${operandOf(verb)} [flags]`,
    "",
    `${does}.`,
    ...(more.length > 0 ? ["", ...more] : []),
    "",
    "Examples:",
    ...examples.map((example) => `  ${invocation} ${example}`),
    "",
    "Flags:",
    ...lines,
    "",
  ].join("\n");
}

function operandOf({ takes, placeholder = "NAME" }: Verb): string {
  if (takes === "nothing") return "";
  return takes === "a name" ? ` ${placeholder}` : ` [${placeholder}]`;
}

function flagText(name: FlagName): string {
  const { short, value } = flagOf(name);
  const begin = short === undefined ? "    " : `-${short}, `;
  return `${begin}--${name}${value === undefined ? "" : ` ${value}`}`;
}

const saidOf = (flag: FlagName, formats: Verb["formats"]): string =>
  flag === "output" ? `${formats.join(", ")} (text)` : flagOf(flag).does;
