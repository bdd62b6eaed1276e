// The command `images`.
import { join } from "node:path";
import { Command } from "commander";
import { listClusters } from "../cluster/list";
import { openNodeImages } from "../cluster/nodes/real/real-nodes";
import { clustersDirectory } from "../directories";
import { progressOn } from "../progress";
import { buildImages, catalogueFile } from "./build";
import { loadImages } from "./load";

/** `images [--cluster name]`: builds the images and the catalogue, and loads them into clusters. */
export function imagesCommand(): Command {
  return new Command("images")
    .description("Build the images of images/ into the cache, where it lacks them, and list them in the catalogue.")
    .option("--cluster <name>", "load them into the real node of this cluster; default: of every cluster that runs one")
    .action(async ({ cluster }: { cluster?: string }) => {
      const progress = progressOn();
      // a cluster that cannot take images should be known before minutes are spent on them
      const names = cluster === undefined ? await realClusters() : [cluster];
      const nodes = await Promise.all(names.map((name) => openNodeImages(join(clustersDirectory(), name))));
      const images = await progress.step("images", (log) => buildImages({ log }));
      for (const [index, node] of nodes.entries()) {
        await progress.step(`images into cluster ${names[index] ?? ""}`, (log) => loadImages(node, images, log));
      }
      for (const { image } of images) console.log(image);
      progress.line(`Catalogue: ${catalogueFile()}`);
    });
}

async function realClusters(): Promise<string[]> {
  const clusters = await listClusters(clustersDirectory());
  return clusters.filter(({ state, nodes }) => state === "running" && nodes === "real").map(({ name }) => name);
}
