// Makes sure that programs from Debian packages are on the machine, without starting any service they bring.
import { access, constants, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Log, run, succeeds, systemPath } from "./command";

/** A Debian package and a file by which its presence is recognized. */
export interface SystemPackage {
  /** Name for apt-get. */
  name: string;
  /** A program looked up on PATH, or an absolute path. */
  provides: string;
}

/** Answers whether there is such a program on PATH, or, for an absolute path, such a file or directory. */
export async function isPresent(provides: string): Promise<boolean> {
  if (provides.startsWith("/")) return await isAccessible(provides, constants.F_OK);
  for (const directory of systemPath().split(":")) {
    if (await isAccessible(join(directory, provides), constants.X_OK)) return true;
  }
  return false;
}

async function isAccessible(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** The names of those packages whose files are missing on this machine. */
export async function missingPackages(wanted: readonly SystemPackage[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const { name, provides } of wanted) {
    if (!(await isPresent(provides))) missing.add(name);
  }
  return [...missing];
}

/**
 * Installs what is missing of `wanted` with apt-get. Services of the packages are not started.
 * Throws, saying what to install by hand, when apt-get or the right to use it is missing.
 */
export async function ensurePackages(wanted: readonly SystemPackage[], log: Log): Promise<void> {
  const missing = await missingPackages(wanted);
  if (missing.length === 0) return;
  const byHand = `sudo apt-get install --no-install-recommends ${missing.join(" ")}`;
  if (!(await isPresent("apt-get"))) {
    throw new Error(
      `missing on this machine: ${missing.join(", ")}; install the Debian packages of that name, then run this again`,
    );
  }
  if (process.getuid?.() !== 0) throw new Error(`missing packages, and only root can install them; run: ${byHand}`);
  log(`installing Debian packages: ${missing.join(" ")}`);
  await withoutServices(() => install(missing, log));
  const still = await missingPackages(wanted);
  if (still.length > 0) throw new Error(`apt-get did not install ${still.join(", ")}; try: ${byHand}`);
}

async function install(names: readonly string[], log: Log): Promise<void> {
  const options = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"];
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const attempt = ["install", "-y", "--no-install-recommends", ...options, ...names];
  // the package lists of a machine may be stale or absent: refresh them only when they do not serve
  if (await succeeds("apt-get", attempt, { env })) return;
  log("refreshing the package lists");
  await run("apt-get", ["update", ...options], { env });
  await run("apt-get", attempt, { env });
}

const POLICY = "/usr/sbin/policy-rc.d";

/** Debian asks this script before it starts a service of a new package; a machine's own answer is left as it is. */
async function withoutServices(work: () => Promise<void>): Promise<void> {
  if (await isPresent(POLICY)) return work();
  await writeFile(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await work();
  } finally {
    await rm(POLICY, { force: true });
  }
}
