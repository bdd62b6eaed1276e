// The platform as `pulumi up` installs it on simulated nodes, created once and kept outside of the work tree: a cluster that starts
// from it has the same objects after seconds, and a Pulumi state that fits them.
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startCluster } from "../../tools/cluster/cluster";
import { saveCluster } from "../../tools/cluster/save";
import { cacheDirectory } from "../../tools/directories";
import { keyOf, provideKept } from "../../tools/host/kept";
import { projectRoot, runPlatform } from "../../tools/platform/platform";
import type { Progress } from "../../tools/progress";

export interface PlatformTemplate {
  /** For `startCluster({ from })`. It has no nodes: those of the new cluster are new. */
  readonly cluster: string;
  /** The directory that `runPlatform` had, to be copied, with `catalogue.json`. */
  readonly pulumi: string;
}

export interface TemplateOptions {
  readonly catalogue: unknown;
  /** Directory with links to the tools, named after what they are. */
  readonly bin: string;
  /** PATH. */
  readonly path: string;
  readonly progress: Progress;
}

/** Settings of every platform that a test starts. */
export const commonSettings = { watchNamespaces: [] } as const;

/** Whatever has a say in what is installed, or in how a cluster starts. */
const sources = [
  "{components,contract,infra,tools/cluster,tools/platform}/**/*",
  ...["stacks/Pulumi.local.yaml", "Pulumi.yaml", "package-lock.json", "tsconfig.json"],
  ...["tools/host/kept.ts", "test/harness/platform-template.ts"],
];

/** The template for that catalogue. The process that asks first creates it, and the others wait. */
export async function platformTemplate(options: TemplateOptions): Promise<PlatformTemplate> {
  const { progress } = options;
  const key = keyOf(JSON.stringify(options.catalogue), options.bin, await sourcesIn(projectRoot));
  const directory = join(cacheDirectory(), "platforms", key);
  const onWait = ({ pid }: { readonly pid: number }): void => {
    progress.line(`waiting for process ${pid}, which installs the platform to start from`);
  };
  await provideKept(directory, (draft) => make(placeIn(draft), options), { onWait });
  return placeIn(directory);
}

const placeIn = (directory: string): PlatformTemplate => ({
  cluster: join(directory, "cluster"),
  pulumi: join(directory, "pulumi"),
});

async function make(place: PlatformTemplate, { catalogue, path, progress }: TemplateOptions): Promise<void> {
  const cluster = await startCluster({
    ...{ nodes: "simulated", life: "parent", progress },
    simulated: { count: 0, schedules: false },
  });
  try {
    await mkdir(place.pulumi, { recursive: true });
    const catalogueFile = join(place.pulumi, "catalogue.json");
    await writeFile(catalogueFile, JSON.stringify(catalogue));
    const environment = { PATH: path, KUBECONFIG: cluster.kubeconfig };
    const installation = { environment, directory: place.pulumi, catalogueFile, settings: commonSettings };
    await progress.step("pulumi up, for all clusters", () => runPlatform(installation));
    await progress.step("keep the platform", () => saveCluster(cluster, place.cluster));
  } finally {
    await cluster.stop();
  }
}

/** Names and contents of the sources below `root`. */
export async function sourcesIn(root: string): Promise<string> {
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return JSON.stringify(files.map((file, index) => [file.slice(root.length), texts[index]]));
}
