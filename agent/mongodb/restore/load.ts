// Loads an archive into a server of this pod, and compares what arrived with what is in it.
import type { MongoClient } from "mongodb";
import { z } from "zod";
import { log } from "../../log";
import { runToEnd } from "../../supervise/run";
import type { ArchivedCollection, Contents } from "../backup/archive";
import type { PrivateServer } from "../private-server";
import type { ServerKind } from "../settings";
import { collectionsIn, differenceOf, indexOf, restoreArguments } from "./decide";

/** What is loaded. */
export interface Loading {
  readonly archive: string;
  readonly contents: Contents;
  readonly server: ServerKind;
}

/** See the header. Throws where not all of it has arrived. */
export async function load({ archive, contents, server }: Loading, into: PrivateServer): Promise<void> {
  await runToEnd("mongorestore", [...(await into.toolOptions()), ...restoreArguments(archive, server)]);
  const collections = collectionsIn(contents);
  // they are what the archive says of them but for what was written while it was taken
  const isCompared = contents.changes === 0;
  await into.withClient(async (client) => {
    if (server === "ferretdb") for (const one of collections) await makeIndexes(client, one);
    if (isCompared) for (const one of collections) await compare(client, one);
  });
  log("loaded", { collections: collections.length, changes: contents.changes, isCompared });
}

/** Makes the indexes that an archive tells of. */
export async function makeIndexes(client: MongoClient, { database, name, indexes }: ArchivedCollection): Promise<void> {
  if (indexes.length > 0) await client.db(database).command({ createIndexes: name, indexes: indexes.map(indexOf) });
}

const Indexes = z.array(z.looseObject({ name: z.string() }));

/** Not all of an archive has arrived. */
export class NotAllArrived extends Error {}

/** Throws where a collection has other documents or indexes than the archive. */
export async function compare(client: MongoClient, one: ArchivedCollection): Promise<void> {
  const collection = client.db(one.database).collection(one.name);
  const documents = await collection.countDocuments();
  const indexes = Indexes.parse(await collection.indexes()).map(({ name }) => name);
  const difference = differenceOf(one, { documents, indexes });
  if (difference !== undefined) throw new NotAllArrived(difference);
}
