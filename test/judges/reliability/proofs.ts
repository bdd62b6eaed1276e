// Which cases there are, and which test file proves each: found in the sources.
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { sourcesOf } from "../../runner/told";
import type { Case } from "./case";

const root = join(__dirname, "../../..");

const Cases = z.record(
  z.string(),
  z.record(
    z.string(),
    z.custom<Case>((value) => Entry.safeParse(value).success),
  ),
);
const Entry = z.object({
  id: z.string(),
  area: z.string(),
  title: z.string().min(1),
  provoked: z.string().min(1),
  expected: z.string().min(1),
  slice: z.string().min(1).optional(),
});

/** All cases by the name of their file in cases/, each file's in the order in which they are written. */
export async function allCases(): Promise<ReadonlyMap<string, ReadonlyMap<string, Case>>> {
  const files = globSync("test/judges/reliability/cases/*.ts", { cwd: root }).sort();
  const entries = files.map(async (file): Promise<[string, ReadonlyMap<string, Case>]> => {
    const exported = Cases.parse({ ...(await importAll(join(root, file))) });
    return [basename(file, ".ts"), new Map(Object.values(exported).flatMap((cases) => Object.entries(cases)))];
  });
  return new Map(await Promise.all(entries));
}

/** What a file exports by name; an ES module's view of a CommonJS one has the whole besides. */
async function importAll(file: string): Promise<Record<string, unknown>> {
  const module: unknown = await import(file);
  const named = z.record(z.string(), z.unknown()).parse({ ...z.looseObject({}).parse(module) });
  return Object.fromEntries(Object.entries(named).filter(([name]) => !wholes.has(name)));
}

const wholes = new Set(["default", "module.exports", "__esModule"]);

/** A mention of a case in a test file: `proves(deletion.retain, …)`, or a table that has it; or of a whole area. */
export interface Proof {
  /** Below the project's root. */
  readonly file: string;
  /** The file of the cases, and the key in it; undefined stands for all that are not mentioned by name. */
  readonly source: string;
  readonly key: string | undefined;
}

const importOfCases = /import \{([^}]+)\} from "[^"]*reliability\/cases\/([\w-]+)";/g;

/** Every mention of a case in the tests; what a story mentions counts for the file of tests that tells it. */
export function allProofs(): readonly Proof[] {
  const files = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/judges/reliability/**"] }).sort();
  return files.flatMap((file) => [...sourcesOf(file).values()].flatMap((text) => proofsIn(file, text)));
}

/** The mentions in one source: a file that imports a case has no other use for it than to prove it. */
export function proofsIn(file: string, text: string): Proof[] {
  const body = text.replaceAll(importOfCases, "").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  return [...text.matchAll(importOfCases)].flatMap(([, names = "", source = ""]) =>
    names.split(",").flatMap((name) => {
      const local = name.trim().split(" as ").at(-1) ?? "";
      const mention = new RegExp(`(?<![.\\w"])${local}(?:\\.(\\w+)|\\[)|Object\\.\\w+\\(${local}\\)`, "g");
      return [...body.matchAll(mention)].map(([, key]) => ({ file, source, key }));
    }),
  );
}

/** The files that prove each case, by its id. */
export function proofsOf(
  cases: ReadonlyMap<string, ReadonlyMap<string, Case>>,
  proofs: readonly Proof[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [source, ofSource] of cases) {
    for (const [key, { id }] of ofSource) {
      const mine = proofs.filter((proof) => proof.source === source);
      const named = mine.filter((proof) => proof.key === key);
      const whole = mine.filter((proof) => proof.key === undefined);
      found.set(
        id,
        (named.length > 0 ? named : whole).map(({ file }) => file),
      );
    }
  }
  return found;
}
