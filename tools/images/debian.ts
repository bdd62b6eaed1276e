// The Debian base image, built from Debian's packages alone, and the machine's settings for reaching them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, run } from "../host/command";
import type { Buildah } from "./buildah";

/** Suites of Debian that images are built from. */
export type Suite = "trixie" | "unstable";

/** The name by which Dockerfiles start from the base of a suite. */
export const baseImageOf = (suite: Suite): string => `docker.io/library/debian:${suite}-slim`;

// what Debian's own slim images leave out
const SLIM = ["doc", "groff", "info", "linda", "lintian", "locale", "man"].map(
  (part) => `path-exclude=/usr/share/${part}/*`,
);

/** All that decides the base image of a suite; part of the hash of every image built from it. */
export const baseRecipeOf = (suite: Suite): readonly string[] => [
  "--variant=minbase",
  ...SLIM.map((option) => `--dpkgopt=${option}`),
  "--dpkgopt=path-include=/usr/share/doc/*/copyright",
  // the machine's apt settings serve the build and are no part of the image; Debian's images load no translations
  '--customize-hook=rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap"',
  `--customize-hook=echo 'Acquire::Languages "none";' >"$1/etc/apt/apt.conf.d/docker-no-languages"`,
  suite,
];

/** Where packages come from on this machine. */
export interface PackageSources {
  /** Lines of a sources.list for the base. */
  lines: string[];
  /** apt settings that this machine needs to reach its sources, such as a proxy; empty where the defaults do. */
  settings: string;
}

/** Reads the machine's own apt configuration: an image is built from the mirror that the machine already uses. */
export async function packageSources(suite: Suite): Promise<PackageSources> {
  const targets = await run("apt-get", ["indextargets", "--format", "$(REPO_URI) $(CODENAME) $(ORIGIN)"]);
  return {
    lines: sourceLines(targets, suite),
    settings: acquireSettings(await run("apt-config", ["dump", "Acquire"])),
  };
}

/** sources.list of the base from `apt-get indextargets` ("<uri> <codename> <origin>" per line); Debian's own addresses by default. */
export function sourceLines(targets: string, suite: Suite): string[] {
  const rows = targets.split("\n").map((line) => line.trim().split(" "));
  const debian = rows.filter(([, , origin]) => origin === "Debian");
  const main = debian.find(([, codename]) => !codename?.endsWith("-security"))?.[0] ?? "http://deb.debian.org/debian/";
  // the unstable suite gets its fixes as they come
  if (suite === "unstable") return [`deb ${main} ${suite} main`];
  const security =
    debian.find(([, codename]) => codename?.endsWith("-security"))?.[0] ?? "http://deb.debian.org/debian-security/";
  return [`deb ${main} ${suite} main`, `deb ${main} ${suite}-updates main`, `deb ${security} ${suite}-security main`];
}

/** The lines of `apt-config dump` that say how to reach a mirror: proxies, certificates, validity checks. */
export function acquireSettings(dump: string): string {
  const wanted =
    /^Acquire::(Check-Valid-Until|Check-Date|(https?::)?(Proxy|CAInfo|Verify-Peer|Verify-Host|Proxy-Auto-Detect)\b)/i;
  const lines = dump.split("\n").filter((line) => wanted.test(line) && !line.endsWith('"";'));
  return lines.map((line) => `${line}\n`).join("");
}

/** Builds the base image of a suite in `buildah`'s storage, unless it is there already, from the packages of this machine's mirror. */
export async function ensureBase(buildah: Buildah, suite: Suite, sources: PackageSources, log: Log): Promise<void> {
  const recipe = baseRecipeOf(suite);
  const image = baseImageOf(suite);
  const label = JSON.stringify(recipe);
  if ((await buildah.labelOf(image, "recipe")) === label) return;
  log(`making ${image} from Debian packages`);
  const scratch = await mkdtemp(join(tmpdir(), "debian-base-"));
  try {
    const archive = join(scratch, "base.tar");
    const settings = join(scratch, "apt.conf");
    await writeFile(settings, sources.settings);
    const machine = sources.settings ? [`--aptopt=${settings}`] : [];
    await run("mmdebstrap", [...machine, ...recipe, archive, ...sources.lines], { log });
    await buildah.commitArchive(archive, image, { recipe: label });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
