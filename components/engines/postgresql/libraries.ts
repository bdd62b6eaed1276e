// Lists of libraries that a PostgreSQL server loads by name: with one that its image lacks it does not start, or accepts no connection.
import { nearestTo } from "./nearest";

/** The parameters that are such lists. */
export const libraryParameters: ReadonlySet<string> = new Set([
  "shared_preload_libraries",
  "session_preload_libraries",
]);

/** The parameter whose values, in the servers' tables, are the libraries of the image. */
export const ofImage = "shared_preload_libraries";

/** Says what a list should be instead, or nothing where an image with the libraries `had` takes it. */
export function librariesProblem(list: string, had: readonly string[]): string | undefined {
  if (list.trim() === "") return undefined;
  const names = namesIn(list);
  if (names === undefined) return "must be names separated by commas";
  const missing = names.find((name) => !had.includes(name.replace(/\.so$/, "")));
  if (missing === undefined) return undefined;
  const nearest = nearestTo(missing, had);
  const hint = nearest === undefined ? "remove it" : `did you mean "${nearest}"?`;
  return `names "${missing}", a library that the image does not have: ${hint}`;
}

/** As the server reads them: quotes are for names with commas or blanks, and are doubled within. Undefined where it would read nothing. */
function namesIn(list: string): string[] | undefined {
  const item = String.raw`\s*(?:"(?:[^"]|"")+"|[^",\s][^",]*?)\s*`;
  if (!new RegExp(`^${item}(?:,${item})*$`).test(list)) return undefined;
  return Array.from(list.matchAll(/"((?:[^"]|"")+)"|[^",\s][^",]*/g), ([whole, quoted]) =>
    (quoted?.replaceAll('""', '"') ?? whole).trim(),
  );
}
