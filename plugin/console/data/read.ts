// What pages are about, read as the person who looks at them. Rejects with an ApiFailure for the API server's refusals.
import pLimit from "p-limit";
import { z } from "zod";
import { memberSelector } from "../../../components/naming";
import { collectionOf, itemOf, kinds } from "../../cluster/paths";
import { listedIfAllowed } from "../../cluster/read";
import { selectorOf } from "../../cluster/selector";
import { ApiFailure, isFailure, type Cluster } from "../../command/world";
import { backupIn, type SeenBackup } from "../../objects/backup";
import { databaseIn, type SeenDatabase } from "../../objects/database";
import { memberIn } from "../../objects/member";
import { detailedStanding, type DetailedStanding } from "../../status/detailed";
import { requestsAtOnce, type Person } from "../access/person";

export interface Found {
  /** As the API server has it. */
  readonly object: unknown;
  readonly database: SeenDatabase;
}

const foundIn = (object: unknown): Found[] => {
  const database = databaseIn(object);
  if (database === undefined) return [];
  return [{ object, database }];
};

const List = z.object({ items: z.array(z.unknown()).nullish() });

async function foundAt(cluster: Cluster, namespace: string | undefined): Promise<Found[]> {
  const list = List.parse(await cluster.get(collectionOf(kinds.databases, namespace)));
  return (list.items ?? []).flatMap(foundIn);
}

/** All that the person may see, or those of one namespace. */
export async function databasesFor({ cluster, places }: Person, namespace: string | undefined): Promise<Found[]> {
  if (namespace !== undefined) return foundAt(cluster, namespace);
  const there = await places();
  if (there === "all") return foundAt(cluster, undefined);
  if (there.names.length === 0) throw new ApiFailure(403, "Forbidden", "you may not see Databases in any namespace");
  const limit = pLimit(requestsAtOnce);
  const found = await Promise.all(there.names.map((place) => limit(() => foundIfAllowed(cluster, place))));
  return found.flat();
}

/** A right may have been taken away since it was asked for. */
async function foundIfAllowed(cluster: Cluster, namespace: string): Promise<Found[]> {
  try {
    return await foundAt(cluster, namespace);
  } catch (error) {
    if (isFailure(error, 403)) return [];
    throw error;
  }
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** One Database. */
export async function databaseAt(cluster: Cluster, { namespace, name }: Place): Promise<Found> {
  const [found] = foundIn(await cluster.get(itemOf(kinds.databases, namespace, name)));
  if (found === undefined) throw new Error("the API server answered with something that is no Database");
  return found;
}

/** One Database with what is around it, as far as the person may see that. */
export interface Surroundings {
  readonly standing: DetailedStanding;
  readonly backups: readonly SeenBackup[];
}

export async function surroundingsOf(cluster: Cluster, { database }: Found): Promise<Surroundings> {
  const { namespace, name } = database.metadata;
  const query = { labelSelector: selectorOf(memberSelector(name)) };
  const [pods, listed] = await Promise.all([
    listedIfAllowed(cluster, kinds.pods, { namespace, query }),
    listedIfAllowed(cluster, kinds.backups, { namespace }),
  ]);
  const backups = listed.items.flatMap((object) => backupIn(object) ?? []).filter((one) => one.database === name);
  const standing = detailedStanding(database, {
    members: pods.items.flatMap((pod) => memberIn(pod) ?? []),
    areMembersKnown: pods.missing === undefined,
    backups,
    notShown: [pods.missing, listed.missing].flatMap((missing) => missing ?? []),
  });
  return { standing, backups };
}
