// Runs the Go compiler on the pinned modules; refuses when Go is missing or too old.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandError, type Log, run } from "../host/command";
import { isCode } from "../host/lock";
import { type Module, toolsOn } from "./tools";
import { isOlder, parseVersion, versionOf } from "./version";

const ROOT = resolve(__dirname, "../..");
const MINIMUM_GO = "1.26.0";

/** The environment of every Go command: nothing of the machine's own Go settings decides what is built. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: "0",
  GOTOOLCHAIN: "local",
  GOFLAGS: "",
  GOWORK: "off",
  // the checksum database misses some versions; the committed go.sum is the pin
  GONOSUMDB: "*",
};

/** The directory of a module's go.mod. */
export function moduleDirectory(module: Module): string {
  return join(ROOT, module.directory ?? join("tools/modules", module.name));
}

/** Arguments of `go` that build a module's programs for `platform` into the directory `output`. */
export function goArguments(module: Module, output: string, platform: NodeJS.Platform = process.platform): string[] {
  const variables = Object.entries(module.variables).map(([name, value]) => ` -X ${name}=${value}`);
  const tools = toolsOn(module, platform);
  const [first] = tools;
  // Go names several programs after their packages, into a directory; a single one by what it is told
  const target = tools.length === 1 && first ? join(output, first.name) : `${output}/`;
  const flags = ["-buildvcs=false", "-mod=readonly", "-trimpath", "-ldflags", `-s -w${variables.join("")}`];
  return ["build", ...flags, "-o", target, ...tools.map((tool) => tool.package)];
}

/** Go's version and platform as it prints them. Throws, saying what to do, when Go is missing or older than 1.26. */
export async function goVersion(): Promise<string> {
  const todo = `install Go ${MINIMUM_GO} or newer (https://go.dev/dl) and see that \`go\` is on PATH`;
  const text = await run("go", ["version"], { env: GO_ENVIRONMENT }).catch((error: unknown) => {
    const missing = error instanceof CommandError && error.code === null;
    throw new Error(missing ? `Go is missing: ${todo}` : `Go does not run: ${todo}`, { cause: error });
  });
  const version = parseVersion(text.replace(/go(\d+\.\d+)(?= |[a-z])/, "go$1.0").replace(/^go version go/, ""));
  if (!version || isOlder(version, versionOf(MINIMUM_GO))) throw new Error(`Go is too old (${text.trim()}): ${todo}`);
  return text.trim();
}

/** What decides the content of a built program. */
export interface BuildInputs {
  /** Contents of go.mod, go.sum and the Go files that are ours. */
  sources: readonly string[];
  /** Arguments and environment of the compiler. */
  flags: readonly string[];
  /** Go's version and platform. */
  go: string;
}

/** A short name for all that decides a build: equal inputs give equal keys, others give others. */
export function buildKey(inputs: BuildInputs): string {
  const text = JSON.stringify([inputs.sources, inputs.flags, inputs.go]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The key of a module as it is in the work tree now. */
export async function moduleKey(module: Module, go: string): Promise<string> {
  const directory = moduleDirectory(module);
  const isOurs = (file: string): boolean => file.endsWith(".go") && !file.endsWith("_test.go") && file !== "main.go";
  const own = (await readdir(directory)).filter(isOurs).sort();
  const sources = ["go.mod", "go.sum", "main.go", ...own].map((file) => readOptional(join(directory, file)));
  const environment = Object.entries(GO_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  const flags = [...goArguments(module, "output"), ...environment];
  return buildKey({ sources: await Promise.all(sources), flags, go });
}

async function readOptional(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return "";
    throw error;
  });
}

/** How a build tells of itself, and is given up. */
export interface GoBuildOptions {
  log: Log;
  signal?: AbortSignal;
}

/** Builds all programs of a module into the directory `output`, which must exist. */
export async function goBuild(module: Module, output: string, options: GoBuildOptions): Promise<void> {
  await run("go", goArguments(module, output), { cwd: moduleDirectory(module), env: GO_ENVIRONMENT, ...options });
}
