// Provides the tools: a fitting program on PATH, else one from the cache, else one built into the cache.
import { createHash } from "node:crypto";
import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../directories";
import type { ProcessIdentity } from "../host/identity";
import { type LockOptions, withLock } from "../host/lock";
import { isPresent } from "../host/packages";
import { lockOfWhole, makeWhole } from "../host/whole";
import type { Progress } from "../progress";
import { versions } from "../versions";
import { findFitting } from "./found";
import { goBuild, goVersion, moduleKey } from "./go";
import { findTool, type Module, toolNames } from "./tools";

/** Where tools are kept, and where fitting ones are looked for. */
export interface ToolOptions {
  /** Shows what is built. */
  progress: Progress;
  /** Default: `tools` in the project's cache directory. */
  cache?: string;
  /** Directories with programs that may stand in, as in PATH. Default: PATH. */
  path?: string;
  /** Gives up building. */
  signal?: AbortSignal;
}

/** Path of each tool by its name. */
export type ToolPaths = ReadonlyMap<string, string>;

/** Provides the tools of these names (default: all of this platform), building what is missing, one module after another. */
export async function provideTools(names: readonly string[], options: ToolOptions): Promise<ToolPaths> {
  const wanted = (names.length > 0 ? names : toolNames()).map((name) => findTool(name));
  const cache = await cacheOf(options);
  const paths = new Map<string, string>();
  const missing = new Set<Module>();
  for (const { module, tool } of wanted) {
    const found = await findFitting(tool, versions[module.name], { path: options.path, except: cache });
    if (found === undefined) missing.add(module);
    else paths.set(tool.name, found);
  }
  const built = await buildModules([...missing], cache, options);
  for (const { module, tool } of wanted) {
    const directory = built.get(module);
    if (!paths.has(tool.name) && directory !== undefined) paths.set(tool.name, join(directory, tool.name));
  }
  return paths;
}

/** A directory with a link to each tool, to be put on PATH; everything missing is built. */
export async function toolsOnPath(options: ToolOptions): Promise<string> {
  const paths = [...(await provideTools([], options))].sort(([a], [b]) => a.localeCompare(b));
  const cache = await cacheOf(options);
  const key = createHash("sha256").update(JSON.stringify(paths)).digest("hex").slice(0, 16);
  const directory = join(cache, `bin-${key}`);
  await publish(directory, async (draft) => {
    for (const [name, target] of paths) await symlink(target, join(draft, name));
  });
  return directory;
}

/** Builds the tools of these names (default: all) where the cache lacks them, whatever is on PATH. */
export async function buildTools(names: readonly string[], options: ToolOptions): Promise<readonly string[]> {
  const wanted = new Set((names.length > 0 ? names : toolNames()).map((name) => findTool(name).module));
  return [...(await buildModules([...wanted], await cacheOf(options), options)).values()];
}

async function cacheOf(options: ToolOptions): Promise<string> {
  const cache = options.cache ?? join(cacheDirectory(), "tools");
  await mkdir(cache, { recursive: true });
  // compared with the real paths of programs on PATH
  return await realpath(cache);
}

interface BuildArgs {
  title: string;
  progress: Progress;
  signal?: AbortSignal;
}

async function buildModules(
  wanted: readonly Module[],
  cache: string,
  options: ToolOptions,
): Promise<Map<Module, string>> {
  const directories = new Map<Module, string>();
  if (wanted.length === 0) return directories;
  const go = await goVersion();
  for (const module of wanted) directories.set(module, join(cache, `${module.name}-${await moduleKey(module, go)}`));
  const missing: Module[] = [];
  for (const [module, directory] of directories) if (!(await isPresent(directory))) missing.push(module);
  for (const [index, module] of missing.entries()) {
    const title = `build ${module.name} ${versions[module.name]} (${index + 1} of ${missing.length})`;
    await buildModule(module, directories.get(module) ?? "", { title, ...options });
  }
  return directories;
}

interface BuildArgs {
  title: string;
  progress: Progress;
  signal?: AbortSignal;
}

async function buildModule(module: Module, directory: string, at: BuildArgs): Promise<void> {
  await at.progress.step(at.title, (detail) => {
    const onWait = ({ pid }: ProcessIdentity): void => {
      at.progress.line(`waiting for process ${pid}, which builds the same`);
    };
    return publish(directory, (draft) => goBuild(module, draft, { log: detail, signal: at.signal }), {
      onWait,
      signal: at.signal,
    });
  });
}

/** Makes `directory` with what `fill` puts into it; does nothing when it is there already. */
async function publish(
  directory: string,
  fill: (draft: string) => Promise<void>,
  options: LockOptions = {},
): Promise<void> {
  if (await isPresent(directory)) return;
  const make = async (): Promise<void> => {
    if (!(await isPresent(directory))) await makeWhole(directory, fill);
  };
  await withLock(lockOfWhole(directory), make, options);
}
