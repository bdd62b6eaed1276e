// Puts built images where a node's container runtime finds them.
import type { Log } from "../host/command";
import type { BuiltImage } from "./build";

/** The image storage of a node. */
export interface ImageStore {
  /** Answers whether an image of this reference is there. */
  hasImage: (image: string) => Promise<boolean>;
  /** Reads images from a file in docker-archive format. */
  importImages: (archive: string) => Promise<void>;
  /** Gives an image another name, too. */
  tagImage: (image: string, name: string) => Promise<void>;
}

/** Imports those of `images` that the node lacks; references name contents, so an image that is there is right. */
export async function loadImages(node: ImageStore, images: readonly BuiltImage[], log?: Log): Promise<void> {
  for (const { image, archive } of images) {
    if (await node.hasImage(image)) continue;
    log?.(`loading ${image}`);
    await node.importImages(archive);
  }
}
