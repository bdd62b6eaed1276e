// What a fleet preview is of: Databases as they would be, and what is assumed of the catalogue and of shared ConfigMaps.
import { z } from "zod";
import { databaseResource } from "../../contract/resources";
import { catalogueMap } from "../../contract/platform";
import { documentsIn, type Document } from "../../operator/preview/documents";
import type { Asked } from "../command/asked";
import { Trouble } from "../command/trouble";
import type { Cluster, World } from "../command/world";
import { dryRun } from "../preview/dry-run";
import { plainText } from "../text/plain-json";

/** Of which nothing is asked of the operator, as the API server refuses it already. */
export interface Refused {
  readonly database: string;
  readonly message: string;
}

/** What there would be. */
export interface Sources {
  /** Databases of files, as an apply would make them. */
  readonly databases: readonly unknown[];
  readonly refused: readonly Refused[];
  readonly configMaps: readonly SharedMap[];
  /** Missing: the one that there is. */
  readonly catalogue?: unknown;
}

export interface SharedMap {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

const ConfigMap = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

/** Reads the files, and has the API server judge what is in them, with the person's own rights. Throws a Trouble for what is neither. */
export async function sourcesOf(asked: Asked, world: World, cluster: Cluster): Promise<Sources> {
  const texts = await Promise.all(asked.files.map((file) => world.read(file)));
  const given = asked.catalogue === undefined ? undefined : parsed(await world.read(asked.catalogue));
  let sources: Sources = { databases: [], refused: [], configMaps: [], ...(given !== undefined && given) };
  for (const document of texts.flatMap(documentsIn))
    sources = await withDocument(sources, document, { asked, world, cluster });
  return sources;
}

interface Reading {
  readonly asked: Asked;
  readonly world: World;
  readonly cluster: Cluster;
}

async function withDocument(
  sources: Sources,
  document: Document,
  { asked, world, cluster }: Reading,
): Promise<Sources> {
  const title = titleOf(document);
  if (!("text" in document) || !isTaken(document))
    throw new Trouble(`${title}: a fleet preview is of Databases and ConfigMaps`);
  const { namespace, serverSide } = asked;
  const reach = { ...asked.reach, context: cluster.context };
  const answer = await dryRun(document.text, { reach, namespace, serverSide }, world);
  if (document.kind === "database") {
    if (answer.kind === "object") return { ...sources, databases: [...sources.databases, answer.object] };
    return { ...sources, refused: [...sources.refused, { database: document.name, message: answer.message }] };
  }
  if (answer.kind === "refused") throw new Trouble(`${title}: ${answer.message}`);
  const { metadata, data } = ConfigMap.parse(answer.object);
  if (metadata.name === catalogueMap.name) return { ...sources, ...parsed(data[catalogueMap.key] ?? "") };
  return { ...sources, configMaps: [...sources.configMaps, { ...metadata, data }] };
}

const isTaken = (document: Extract<Document, { readonly text: string }>): boolean =>
  document.kind === "database" || (document.kind === "other" && document.title.startsWith("ConfigMap "));

function titleOf(document: Document): string {
  switch (document.kind) {
    case "other":
      return document.title;
    case "unreadable":
      return document.message;
    case "database":
      return `${databaseResource.kind} ${document.name}`;
    case "companion":
    case "backup":
      return document.name;
  }
}

function parsed(text: string): Pick<Sources, "catalogue"> {
  try {
    const catalogue: unknown = JSON.parse(text);
    return { catalogue };
  } catch (error) {
    throw new Trouble(`the catalogue is no JSON: ${plainText(error instanceof Error ? error.message : String(error))}`);
  }
}
