// The catalogue of engine images: engine → version → image, as the platform's configuration takes it.
import { writeFile } from "node:fs/promises";
import type { ServerLimits } from "./recipes";
import { byEngine, type EngineName } from "../../contract/engines";
import type { BuiltImage } from "./build";

interface Entry {
  image: string;
  limits?: ServerLimits;
  /** The image of major upgrades to it, and the version of the former programs in that. */
  upgrade?: { image: string; from: string };
}

/** Engine → version of the server → its image. */
export type Catalogue = Record<EngineName, Record<string, Entry>>;

/** Lists the engine images among `images`; those of other kinds are left out. */
export function catalogueOf(images: readonly BuiltImage[]): Catalogue {
  const catalogue: Catalogue = byEngine(() => ({}));
  for (const { server, image } of images) {
    if (server) catalogue[server.engine][server.version] = { image, ...(server.limits && { limits: server.limits }) };
  }
  for (const { upgrade, image } of images) {
    // beside another minor of the target, its files would be of a server that no member has
    const target = upgrade && catalogue[upgrade.engine][upgrade.version];
    if (upgrade && target) target.upgrade = { image, from: upgrade.from };
  }
  return catalogue;
}

/** Writes the catalogue of `images` to `file` as JSON. */
export async function writeCatalogue(file: string, images: readonly BuiltImage[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(catalogueOf(images), null, 2)}\n`);
}
