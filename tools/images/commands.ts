// The command `images`.
import { join } from "node:path";
import { Command } from "commander";
import { openNodeImages } from "../cluster/nodes/real/real-nodes";
import { clustersDirectory } from "../directories";
import { progressOn } from "../progress";
import { buildImages, catalogueFile } from "./build";
import { loadImages } from "./load";

/** `images [--cluster name]`: builds the images and the catalogue, and loads them into a cluster. */
export function imagesCommand(): Command {
  return new Command("images")
    .description("Build the images of images/ into the cache, where it lacks them, and list them in the catalogue.")
    .option("--cluster <name>", "load them into the real node of this cluster")
    .action(async ({ cluster }: { cluster?: string }) => {
      const progress = progressOn();
      // a cluster that cannot take images should be known before minutes are spent on them
      const node = cluster === undefined ? undefined : await openNodeImages(join(clustersDirectory(), cluster));
      const images = await progress.step("images", (log) => buildImages({ log }));
      if (node) await progress.step(`images into cluster ${cluster ?? ""}`, (log) => loadImages(node, images, log));
      for (const { image } of images) console.log(image);
      progress.line(`Catalogue: ${catalogueFile()}`);
    });
}
