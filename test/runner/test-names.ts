// Whether a source has a test of a certain name: for pages that name tests as what holds a promise.

/** As text, as a row of a table whose keys are names, or by a template, one part of which is a key of a table. */
export const hasTest = (text: string, name: string): boolean =>
  [`test(${JSON.stringify(name)}, `, `\n  ${name}: {\n`].some((source) => text.includes(source)) ||
  [...text.matchAll(/test\(`([^`]+)`/g)].some(([, template = ""]) => isOf(template, name, keysOf(text)));

/** The keys of tables that are no identifiers. */
const keysOf = (text: string): string[] => [...text.matchAll(/\n {2}"([^"\n]+)": /g)].map(([, key = ""]) => key);

function isOf(template: string, name: string, keys: readonly string[]): boolean {
  const parts = template.split(/\$\{[^}]*\}/).map(escaped);
  const gaps = parts.slice(1).map((_, gap) => gap);
  return keys.some((key) => gaps.some((gap) => new RegExp(`^${filled(parts, gap, escaped(key))}$`).test(name)));
}

/** A pattern of the parts with `key` in one gap, and anything in the others. */
const filled = (parts: readonly string[], gap: number, key: string): string =>
  parts.reduce((all, part, index) => `${all}${index - 1 === gap ? key : ".+"}${part}`);

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
