// Builds the images of images/ into archives in the cache, each once per content.
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { engineNames } from "../../contract/engines";
import { cacheDirectory } from "../directories";
import type { Log } from "../host/command";
import type { ProcessIdentity } from "../host/identity";
import { withLock } from "../host/lock";
import { ensurePackages, type SystemPackage } from "../host/packages";
import { durationText } from "../progress";
import { markUsed, removeUnused } from "./archives";
import { Buildah } from "./buildah";
import { contentHash } from "./content-hash";
import { baseImageOf, baseRecipeOf, ensureBase, packageSources } from "./debian";
import { fillContext } from "./context";
import { imageDirectory } from "./directory";
import { DEFAULT_SUITE, directoryOf, type Recipe, RECIPES, versionIn } from "./recipes";

const BuildRecord = z.object({
  /** Name of its recipe. */
  name: z.string(),
  /** Full reference, as pods name it. */
  image: z.string(),
  /** The database server inside, with its true version. */
  server: z
    .object({
      engine: z.enum(engineNames),
      version: z.string(),
      limits: z.object({ replicas: z.number().optional(), config: z.literal(false).optional() }).optional(),
    })
    .optional(),
  /** The version to which it takes data over, and that of the former programs in it. */
  upgrade: z.object({ engine: z.enum(engineNames), version: z.string(), from: z.string() }).optional(),
  /** Debian packages inside with their versions, one "name version" each: the record of what was built. */
  packages: z.array(z.string()),
});

type BuildRecord = z.infer<typeof BuildRecord>;

/** An image in the cache; `archive` is its file in docker-archive format. */
export type BuiltImage = BuildRecord & { archive: string };

/** How images are built. */
export interface BuildOptions {
  log: Log;
  /** Names of the images wanted. Default: all but the extra ones. */
  only?: readonly string[];
  /** Names of extra images wanted beside those. Default: none. */
  extra?: readonly string[] | "all";
}

/** Where `make images` writes the catalogue, for `make install` and the stack of a cluster on this machine. */
export function catalogueFile(): string {
  return imageDirectory("catalogue.json");
}

/**
 * Builds what is missing in the cache and returns all wanted images.
 * Needs root on Debian for what is not in the cache yet; the error says what to install otherwise.
 */
export async function buildImages({ log, only, extra = [] }: BuildOptions): Promise<BuiltImage[]> {
  const images: BuiltImage[] = [];
  const isWanted = (recipe: Recipe): boolean => {
    if (only) return only.includes(recipe.name);
    return !recipe.extra || extra === "all" || extra.includes(recipe.name);
  };
  for (const recipe of RECIPES.filter(isWanted)) images.push(await buildImage(recipe, log));
  return images;
}

async function buildImage(recipe: Recipe, log: Log): Promise<BuiltImage> {
  const { name, debian, suite, server, upgrade, contents, arguments: values } = recipe;
  const programs = contents ? [await contents.key(log)] : [];
  const decides = [
    { name, debian, server, upgrade, values },
    process.arch,
    debian ? baseRecipeOf(suite ?? DEFAULT_SUITE) : [],
    ...programs,
  ];
  const hash = await contentHash(imageDirectory(directoryOf(recipe)), decides);
  const directory = join(cacheDirectory(), "images");
  const archive = join(directory, `${recipe.name}-${hash}.tar`);
  const record = join(directory, `${recipe.name}-${hash}.json`);
  const cached = await readRecord(record);
  if (cached) {
    await markUsed(record);
    log(`${recipe.name}: ${cached.image} is in the cache`);
    return { ...cached, archive };
  }
  const onWait = ({ pid }: ProcessIdentity): void => {
    log(`${recipe.name}: process ${pid} is building images, waiting`);
  };
  const build = async (): Promise<BuildRecord> => {
    const other = await readRecord(record);
    if (other) return other;
    const built = await buildInto({ recipe, hash, archive, log });
    // written last and whole: with its record an image counts as built
    await writeFile(`${record}.draft`, JSON.stringify(built, null, 2));
    await rename(`${record}.draft`, record);
    await removeUnused(directory, recipe.name);
    return built;
  };
  return { ...(await withLock(join(directory, "lock"), build, { onWait })), archive };
}

async function readRecord(file: string): Promise<BuildRecord | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : BuildRecord.parse(JSON.parse(text));
}

/** Where images are built and tagged. */
export function openStorage(): Promise<Buildah> {
  return Buildah.open(join(cacheDirectory(), "images", "storage"));
}

interface Build {
  recipe: Recipe;
  hash: string;
  archive: string;
  log: Log;
}

async function buildInto({ recipe, hash, archive, log }: Build): Promise<BuildRecord> {
  const started = performance.now();
  const show: Log = (line) => {
    log(`${recipe.name}: ${line}`);
  };
  await ensurePackages(BUILDERS, log);
  const buildah = await openStorage();
  const workspace = await mkdtemp(join(tmpdir(), `image-${recipe.name}-`));
  const local = `localhost/${recipe.name}:${hash}`;
  const draft = `${archive}.draft`;
  try {
    await buildLocal({ recipe, workspace, local, buildah, log: show });
    const server = await serverIn(local, recipe, buildah);
    const image = `docker.io/library/${recipe.repository}:${server ? `${server.version}-` : ""}${hash}`;
    const packages = recipe.debian ? await packagesIn(local, buildah) : [];
    await buildah.tag(local, image);
    show(`writing ${archive}`);
    await rm(draft, { force: true });
    await buildah.save(image, draft);
    await rename(draft, archive);
    show(`built ${image} in ${durationText(performance.now() - started)}`);
    return { name: recipe.name, image, server, upgrade: await upgradeIn(local, recipe, buildah), packages };
  } finally {
    await rm(workspace, { recursive: true, force: true });
    await rm(draft, { force: true });
  }
}

const BUILDERS: readonly SystemPackage[] = [
  { name: "buildah", provides: "buildah" },
  { name: "mmdebstrap", provides: "mmdebstrap" },
  // Debian's derivatives trust other keys
  { name: "debian-archive-keyring", provides: "/usr/share/keyrings/debian-archive-keyring.gpg" },
];

interface LocalBuild {
  recipe: Recipe;
  /** Private directory for the build context. */
  workspace: string;
  /** Name given to the result. */
  local: string;
  buildah: Buildah;
  log: Log;
}

async function buildLocal({ recipe, workspace, local, buildah, log }: LocalBuild): Promise<void> {
  const context = join(workspace, "context");
  await fillContext(recipe, context, log);
  const request = { context, tag: local, arguments: recipe.arguments };
  if (!recipe.debian) {
    await buildah.build(request, log);
    return;
  }
  const { suite = DEFAULT_SUITE } = recipe;
  const sources = await packageSources(suite);
  await ensureBase(buildah, suite, sources, log);
  const aptSettings = join(workspace, "apt.conf");
  await writeFile(aptSettings, sources.settings);
  log(`building from ${baseImageOf(suite)}`);
  await buildah.build({ ...request, ...(sources.settings && { aptSettings }) }, log);
}

async function serverIn(image: string, { server }: Recipe, buildah: Buildah): Promise<BuiltImage["server"]> {
  if (!server) return undefined;
  const version = versionIn(await buildah.shell(image, server.versionCommand));
  return { engine: server.engine, version, ...(server.limits && { limits: server.limits }) };
}

async function upgradeIn(image: string, { upgrade }: Recipe, buildah: Buildah): Promise<BuiltImage["upgrade"]> {
  if (!upgrade) return undefined;
  const { engine, versionCommand, fromCommand } = upgrade;
  const version = versionIn(await buildah.shell(image, versionCommand));
  return { engine, version, from: versionIn(await buildah.shell(image, fromCommand)) };
}

async function packagesIn(image: string, buildah: Buildah): Promise<string[]> {
  const printed = await buildah.shell(image, "dpkg-query --show --showformat '${Package} ${Version}\\n'");
  return printed.split("\n").filter(Boolean);
}
