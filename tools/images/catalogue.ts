// The catalogue of engine images: engine → version → image, as the platform's configuration takes it.
import { writeFile } from "node:fs/promises";
import type { BuiltImage } from "./build";

/** An engine that the catalogue can list images for. */
export type Engine = "postgresql" | "mysql" | "mongodb";

/** What the server in an image cannot do of what its engine can. */
export interface Limits {
  /** The most members. */
  readonly replicas?: number;
  /** False where it takes no parameters. */
  readonly config?: false;
}

/** Engine → version of the server → its image. */
export type Catalogue = Record<Engine, Record<string, { image: string; limits?: Limits }>>;

/** Lists the engine images among `images`; those of other kinds are left out. */
export function catalogueOf(images: readonly BuiltImage[]): Catalogue {
  const catalogue: Catalogue = { postgresql: {}, mysql: {}, mongodb: {} };
  for (const { server, image } of images) {
    if (server) catalogue[server.engine][server.version] = { image, ...(server.limits && { limits: server.limits }) };
  }
  return catalogue;
}

/** Writes the catalogue of `images` to `file` as JSON. */
export async function writeCatalogue(file: string, images: readonly BuiltImage[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(catalogueOf(images), null, 2)}\n`);
}
