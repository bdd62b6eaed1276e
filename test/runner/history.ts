// What git says of the sources that are tested: the commit, its number, and a hash of what lies in some folders.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** The commit that is tested. */
export interface Head {
  /** In full. */
  readonly commit: string;
  /** How many commits lead to it, itself included; undefined where the clone is shallow and it is not known. */
  readonly number: number | undefined;
}

function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

/** Undefined where there is no git, or the sources are no clone. */
export function readHead(): Head | undefined {
  const commit = git("rev-parse", "HEAD");
  if (commit === undefined) return undefined;
  const isShallow = git("rev-parse", "--is-shallow-repository") !== "false";
  const count = isShallow ? undefined : git("rev-list", "--count", "HEAD");
  return { commit, number: count === undefined ? undefined : Number(count) };
}

/** Whether a file counts: it is named itself, or is neither a unit test nor a page. */
export const isContentOf =
  (paths: readonly string[]) =>
  (file: string): boolean =>
    paths.includes(file) || (file !== "" && !/\.(?:test\.tsx?|md)$/.test(file));

/**
 * One hash of all files in these folders, as they lie here, changed or new ones too; what git ignores is left out. It needs no
 * history: shallow clones and rebased commits have the same. Undefined where there is no git. Unit tests and pages that lie
 * beside the sources are no part of what runs.
 */
export function contentOf(paths: readonly string[]): string | undefined {
  const listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths);
  if (listed === undefined) return undefined;
  const hash = createHash("sha256");
  for (const file of [...new Set(listed.split("\0"))].filter(isContentOf(paths)).sort()) {
    const path = join(root, file);
    // deleted, but not in git yet
    if (!existsSync(path)) continue;
    hash.update(`${file}\0`).update(createHash("sha256").update(readFileSync(path)).digest());
  }
  return hash.digest("hex").slice(0, 16);
}
