// Finds programs on PATH whose version fits, so that they need not be built.
import { realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { isPresent } from "../host/packages";
import { run } from "../host/command";
import type { Tool } from "./tools";
import { fits, parseVersion, versionOf } from "./version";

/** Where to look. */
export interface Search {
  /** Directories, as in PATH. Default: PATH. */
  path?: string;
  /** Programs that are really in this directory are not looked at: what we built does not stand in for itself. */
  except: string;
}

const VERSION_TIMEOUT_MILLISECONDS = 10_000;

/** The path of the first program on PATH that fits, or undefined. A program that does not tell its version never fits. */
export async function findFitting(tool: Tool, pinned: string, search: Search): Promise<string | undefined> {
  if (tool.fit.kind === "none") return undefined;
  for (const directory of (search.path ?? process.env["PATH"] ?? "").split(delimiter).filter(Boolean)) {
    const candidate = join(directory, tool.name);
    if (!(await isPresent(candidate)) || (await realpath(candidate)).startsWith(search.except)) continue;
    const version = parseVersion(await versionText(candidate, tool));
    if (version && fits(version, versionOf(pinned), tool.fit)) return candidate;
  }
  return undefined;
}

async function versionText(program: string, tool: Tool): Promise<string> {
  try {
    return await run(program, tool.versionArgs, { signal: AbortSignal.timeout(VERSION_TIMEOUT_MILLISECONDS) });
  } catch {
    return "";
  }
}
