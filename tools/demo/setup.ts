// The demo's first half: images and platform.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openNodeImages } from "../cluster/nodes/real/real-nodes";
import { buildImages, catalogueFile } from "../images/build";
import { writeCatalogue } from "../images/catalogue";
import { loadImages } from "../images/load";
import { runPlatform } from "../platform/platform";
import type { Session } from "./session";

/** Versions that simulated nodes pretend to run; they pull no images. */
const simulatedCatalogue = { postgresql: { "17.12": { image: "simulated.invalid/postgresql:17.12" } } };

export interface Provided {
  readonly catalogueFile: string;
  /** Undefined where the nodes run no containers. */
  readonly operatorImage?: string;
}

/** Builds the images and loads them into the node; on simulated nodes a made-up catalogue does. */
export async function provideImages({ cluster, progress }: Session): Promise<Provided> {
  if (cluster.nodes === "simulated") {
    const file = join(cluster.directory, "catalogue.json");
    await writeFile(file, JSON.stringify(simulatedCatalogue));
    return { catalogueFile: file };
  }
  const node = await openNodeImages(cluster.directory);
  const images = await progress.step("images: PostgreSQL, MySQL, FerretDB, and the operator", (log) =>
    buildImages({ log }),
  );
  await writeCatalogue(catalogueFile(), images);
  await progress.step("images into the node", (log) => loadImages(node, images, log));
  return { catalogueFile: catalogueFile(), operatorImage: images.find(({ name }) => name === "operator")?.image };
}

/** `pulumi up` at the project's root. */
export async function installPlatform(session: Session, { catalogueFile, operatorImage }: Provided): Promise<void> {
  const { cluster, environment, progress } = session;
  const directory = join(cluster.directory, "platform");
  const settings = operatorImage === undefined ? {} : { image: operatorImage, previewApi: true };
  await progress.step("pulumi up: custom resources, permissions, catalogue, operator", (log) =>
    runPlatform({ environment, directory, catalogueFile, settings, log }),
  );
}
