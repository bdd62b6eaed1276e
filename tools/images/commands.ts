// The commands `images` and `image`.
import { join } from "node:path";
import { Command } from "commander";
import { listClusters } from "../cluster/list";
import { openNodeImages } from "../cluster/nodes/real/real-nodes";
import { clustersDirectory } from "../directories";
import { progressOn } from "../progress";
import { buildImages, catalogueFile } from "./build";
import { writeCatalogue } from "./catalogue";
import { fillContext } from "./context";
import { intoClusters, loadImages, type ImageStore } from "./load";
import { ELSEWHERE, RECIPES } from "./recipes";
import { buildOperatorImage, loadReference, pushImage } from "./publish";

/** `images [--cluster name]`: builds the images and the catalogue, and loads them into clusters. */
export function imagesCommand(): Command {
  return new Command("images")
    .description("Build the images of images/ that the cache lacks, and list them in the catalogue.")
    .option("--cluster <name>", "load them into the real node of this cluster; default: of every cluster that runs one")
    .action(async ({ cluster }: { cluster?: string }) => {
      const progress = progressOn();
      // a cluster that cannot take images should be known before minutes are spent on them
      const names = cluster === undefined ? await realClusters() : [cluster];
      await Promise.all(names.map(nodeOf));
      const images = await progress.step("images", (log) => buildImages({ log, extra: "all" }));
      await writeCatalogue(catalogueFile(), images);
      const load = (name: string): Promise<void> =>
        progress.step(`images into cluster ${name}`, async (log) => loadImages(await nodeOf(name), images, log));
      // one that a person names is to have them
      const ended = await intoClusters(
        names,
        load,
        cluster === undefined ? realClusters : () => Promise.resolve(names),
      );
      for (const name of ended) progress.line(`cluster ${name} has ended meanwhile`);
      for (const { image } of images) console.log(image);
      progress.line(`Catalogue: ${catalogueFile()}`);
    });
}

/** `image build|push <reference>`: the operator's image under your own name. */
export function imageCommand(): Command {
  const build = new Command("build")
    .description("Build the operator's image, and load it into this machine's clusters where Docker did not build it.")
    .argument("<reference>", "the image's name, such as registry.example.com/database-operator:0.1.0")
    .action(async (reference: string) => {
      const progress = progressOn();
      const builder = await progress.step(`image ${reference}`, (log) => buildOperatorImage(reference, log));
      if (builder === "docker") return;
      const load = (name: string): Promise<void> =>
        progress.step(`image into cluster ${name}`, async () => loadReference(await nodeOf(name), reference));
      for (const name of await intoClusters(await realClusters(), load, realClusters))
        progress.line(`cluster ${name} has ended meanwhile`);
    });
  const push = new Command("push")
    .description("Push it to the registry in its name.")
    .argument("<reference>", "the name it was built under")
    .action(async (reference: string) => {
      await progressOn().step(`push ${reference}`, (log) => pushImage(reference, log));
    });
  const recipes = [...RECIPES.filter(({ server, extra }) => server && !extra), ...ELSEWHERE];
  const context = new Command("context")
    .description("Write the build context of an engine's image, for `docker build`.")
    .argument("<name>", `one of ${recipes.map(({ name }) => name).join(", ")}`)
    .argument("<directory>", "where to; it must not exist")
    .action(async (name: string, directory: string) => {
      const recipe = recipes.find((known) => known.name === name);
      if (recipe === undefined) throw new Error(`there is no image ${name} of an engine`);
      const progress = progressOn();
      await progress.step(`context of ${name}`, (log) => fillContext(recipe, directory, log));
      progress.line(`docker build ${directory} --tag <registry>/${recipe.repository}:<version>`);
    });
  return new Command("image")
    .description("The operator's image, and contexts for those that are built elsewhere.")
    .addCommand(build)
    .addCommand(push)
    .addCommand(context);
}

const nodeOf = (cluster: string): Promise<ImageStore> => openNodeImages(join(clustersDirectory(), cluster));

async function realClusters(): Promise<string[]> {
  const clusters = await listClusters(clustersDirectory());
  return clusters.filter(({ state, nodes }) => state === "running" && nodes === "real").map(({ name }) => name);
}
