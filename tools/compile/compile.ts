// Compiles the programs into dist/, where that is not as the sources are; safe to ask for from several processes at once.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { engineNames, type EngineName } from "../../contract/engines";
import { programVersion } from "../../operator/stack/program-version";
import { withLock } from "../host/lock";
import { bundleOptions } from "./bundle";
import { launcherOf } from "./launcher";

const root = join(__dirname, "../..");

type Program = "operator" | "console" | "preview" | "state" | `agent-${EngineName}`;

/** What is compiled, by the name of its file in dist/. */
const entries = {
  operator: "operator/main.ts",
  console: "plugin/console/shared/main.ts",
  preview: "operator/preview/main.ts",
  state: "operator/preview/state/main.ts",
  ...forAgents((engine) => `agent/${engine}/programs.ts`),
} satisfies Readonly<Record<Program, string>>;

function forAgents(valueOf: (engine: EngineName) => string): Readonly<Record<`agent-${EngineName}`, string>> {
  const agents = engineNames.map((engine) => [`agent-${engine}`, valueOf(engine)]);
  return Object.fromEntries(agents) as Record<`agent-${EngineName}`, string>;
}

/** The compiled programs: each is a file for `node`. */
export type Compiled = Readonly<Record<Program, string>>;

/**
 * Options of Node for the operator, which lives long: room for young objects (three times this many MiB), and how much garbage the
 * old ones may gather. With Node's defaults the garbage of the last runs would be more than half of the operator's memory.
 */
export const nodeArguments: readonly string[] = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--single-threaded-gc",
];

/** Everything that decides what the compiled files say. */
const sources = [
  "{operator,agent,components,contract,plugin,tools/compile}/**/*.{ts,tsx,json}",
  "package-lock.json",
  "tsconfig.json",
];

/** Where compiled programs are put. Default: `dist` of this repository. */
export async function compiled(directory = join(root, "dist")): Promise<Compiled> {
  const stamp = join(directory, ".sources");
  const isCurrent = async (): Promise<boolean> => (await readFile(stamp, "utf8").catch(() => "")) === sourcesDigest();
  if (!(await isCurrent())) {
    await withLock(join(directory, ".lock"), async () => {
      if (await isCurrent()) return;
      // read before the sources are: what changes meanwhile is compiled again
      const digest = sourcesDigest();
      await compile(directory);
      await replace(stamp, digest);
    });
  }
  const file = (name: Program): string => join(directory, `${name}.js`);
  return {
    operator: file("operator"),
    console: file("console"),
    preview: file("preview"),
    state: file("state"),
    ...forAgents((engine) => file(`agent-${engine}`)),
  };
}

async function compile(directory: string): Promise<void> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build(bundleOptions(root, entries, programVersion()));
  await replace(join(directory, "node-arguments"), nodeArguments.join(" "));
  // entries of the last build's files would only pile up
  await rm(join(directory, ".cache"), { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    await replace(join(directory, "programs", name), inOneByteEach(text));
    await replace(join(directory, name), launcherOf(name));
  }
}

/** esbuild leaves such characters in comments only. With one of them V8 keeps the whole text in twice the memory. */
const inOneByteEach = (text: string): string => text.replaceAll(/[^\0-\x7f]/g, "?");

/** In one step: a program that starts meanwhile reads the old file or the new one. */
async function replace(file: string, contents: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, file);
}

function sourcesDigest(): string {
  const hash = createHash("sha256");
  const files = globSync(sources, { cwd: root, exclude: ["**/*.test.ts"] });
  // by code unit, not by locale: the order must not depend on the machine
  for (const file of files.sort((a, b) => (a < b ? -1 : 1))) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
