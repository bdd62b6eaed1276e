// In which namespaces a person may see Databases. Asked of the API server, as nothing else knows.
import pLimit from "p-limit";
import { z } from "zod";
import { collectionOf, kinds } from "../../cluster/paths";
import { isFailure, type Cluster } from "../../command/world";
import { requestsAtOnce, type Places } from "./person";

/** Namespaces that are tried where Databases of all may not be listed. */
const most = 300;

const Names = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })).nullish() });

/** `known`: namespaces to try for those who may not list namespaces either. */
export async function placesOf(cluster: Cluster, known: readonly string[]): Promise<Places> {
  if (await mayList(cluster, undefined)) return "all";
  const names = [...new Set([...known, ...(await namespacesOf(cluster))])];
  const limit = pLimit(requestsAtOnce);
  const tried = await Promise.all(
    names.slice(0, most).map((name) => limit(async () => ({ name, may: await mayList(cluster, name) }))),
  );
  const allowed = tried.filter(({ may }) => may).map(({ name }) => name);
  return { names: allowed, left: names.length - tried.length };
}

async function mayList(cluster: Cluster, namespace: string | undefined): Promise<boolean> {
  try {
    await cluster.get(collectionOf(kinds.databases, namespace), { limit: "1" });
    return true;
  } catch (error) {
    if (isFailure(error, 403)) return false;
    throw error;
  }
}

async function namespacesOf(cluster: Cluster): Promise<string[]> {
  try {
    const { items } = Names.parse(await cluster.get(collectionOf(kinds.namespaces)));
    return (items ?? []).map(({ metadata }) => metadata.name).sort();
  } catch (error) {
    if (isFailure(error, 403)) return [];
    throw error;
  }
}
