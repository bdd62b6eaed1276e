// Whether a source has a test of a certain name: for pages that name tests as what holds a promise.

/**
 * As text, as a row of a table whose keys are names, or by a template: one part of it is a key of a table, or "…" stands for
 * each part that is filled in, which names all of its tests at once.
 */
export const hasTest = (text: string, name: string): boolean =>
  [`test(${JSON.stringify(name)}, `, `\n  ${name}: {\n`].some((source) => text.includes(source)) ||
  [...text.matchAll(/test\(`([^`]+)`/g)].some(
    ([, template = ""]) => elided(template) === name || isOf(template, name, keysOf(text)),
  );

/** The keys of tables that are no identifiers. */
const keysOf = (text: string): string[] => [...text.matchAll(/\n {2}"([^"\n]+)": /g)].map(([, key = ""]) => key);

const gap = /\$\{[^}]*\}/g;

const elided = (template: string): string => template.replaceAll(gap, "…");

function isOf(template: string, name: string, keys: readonly string[]): boolean {
  const parts = template.split(gap).map(escaped);
  const places = parts.slice(1).map((_, place) => place);
  return keys.some((key) => places.some((place) => new RegExp(`^${filled(parts, place, escaped(key))}$`).test(name)));
}

/** A pattern of the parts with `key` in one place, and anything in the others. */
const filled = (parts: readonly string[], place: number, key: string): string =>
  parts.reduce((all, part, index) => `${all}${index - 1 === place ? key : ".+"}${part}`);

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
