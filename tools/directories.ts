// Where the tools keep what they build and what they run, outside of the work tree.
import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const PROJECT = "database-operator";

/** Built tools and images: DATABASE_OPERATOR_CACHE, else `database-operator` in XDG_CACHE_HOME or ~/.cache. */
export function cacheDirectory(env: Environment = process.env): string {
  return env["DATABASE_OPERATOR_CACHE"] || join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), PROJECT);
}

/** State of the clusters, one directory each: `database-operator/clusters` in XDG_STATE_HOME or ~/.local/state. */
export function clustersDirectory(env: Environment = process.env): string {
  return join(stateDirectory(env), "clusters");
}

/** Claims of ports of this machine, a file each: `database-operator/ports` in XDG_STATE_HOME or ~/.local/state. */
export function portsDirectory(env: Environment = process.env): string {
  return join(stateDirectory(env), "ports");
}

function stateDirectory(env: Environment): string {
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), PROJECT);
}
