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

/**
 * Loads images into clusters, one after the other. Where that fails and the cluster is not among those that `running` answers any more, it has
 * ended meanwhile, and needs none: answers the names of those. Throws where one fails that is still there.
 */
export async function intoClusters(
  names: readonly string[],
  load: (name: string) => Promise<void>,
  running: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const ended = new Array<string>();
  for (const name of names) {
    try {
      await load(name);
    } catch (error) {
      if ((await running()).includes(name)) throw error;
      ended.push(name);
    }
  }
  return ended;
}
