// The server that databases are imported from: how its own tools and our driver enter it, and what is counted there.
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { z } from "zod";
import type { Counts } from "../../import/counts";
import { isPassing, reach } from "../../import/reach";
import { titleOf, type Source } from "../../import/source";
import { log, textOf } from "../../log";
import { olderAdvice, type Others } from "./decide";

const patienceMs = 30_000;

/** Where the authorities are, for both. */
export const authoritiesIn = (directory: string): string => join(directory, "authorities.pem");

/** The address, without a password. `authSource`: the database that knows the user. */
export function uriOf(
  { host, port, username, tls }: Source,
  { directory, authSource }: { readonly directory: string; readonly authSource: string },
  options: Readonly<Record<string, string>> = {},
): string {
  const place = host.includes(":") ? `[${host}]` : host;
  const secured: Readonly<Record<Source["tls"], Readonly<Record<string, string>>>> = {
    Verify: { tls: "true", tlsCAFile: authoritiesIn(directory) },
    Require: { tls: "true", tlsInsecure: "true" },
    Disable: {},
  };
  const all = { directConnection: "true", authSource, ...secured[tls], ...options };
  return `mongodb://${encodeURIComponent(username)}@${place}:${port}/?${new URLSearchParams(all).toString()}`;
}

/** How the server is entered. */
export interface Entry {
  readonly directory: string;
  readonly authSource: string;
}

const wrongPassword = 18;

/** Of what its driver says of a server that it does not reach, the cause tells. */
function mayPass(error: unknown): boolean {
  if (isPassing(error)) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause !== undefined && mayPass(cause);
}

/** Where the user is known: with those of all databases, or in one of these. Throws where the server lets no one in. */
export async function entryOf(source: Source, directory: string): Promise<Entry> {
  const say = (message: string): void => {
    log(message);
  };
  const connect = async (): Promise<Entry> => {
    let refusal: unknown;
    for (const authSource of ["admin", ...source.databases]) {
      const entry = { directory, authSource };
      try {
        await withClient(source, entry, (client) => client.db(source.databases[0]).command({ ping: 1 }));
        return entry;
      } catch (error) {
        refusal ??= error;
        if (!isRefusal(error)) throw error;
      }
    }
    throw refusal;
  };
  return reach(connect, { title: titleOf(source), log: say, isPassing: mayPass }).catch((error: unknown) => {
    throw isTooOld(error) ? new Error(`the source is older than MongoDB 4.4: ${olderAdvice}`, { cause: error }) : error;
  });
}

/** As the driver says it. */
const isTooOld = (error: unknown): boolean => /maximum wire version/i.test(textOf(error));

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === wrongPassword || /auth/i.test(textOf(error)));

/** Does it with a client of the source. */
export async function withClient<T>(
  source: Source,
  entry: Entry,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const auth = { username: source.username, password: source.password };
  const client = new MongoClient(uriOf(source, entry), { auth, serverSelectionTimeoutMS: patienceMs });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const BuildInfo = z.looseObject({ version: z.string() });
const Names = z.array(z.looseObject({ name: z.string(), type: z.string().default("collection") }));

/** The version that a server tells. */
export const versionOf = async (client: MongoClient): Promise<string> =>
  BuildInfo.parse(await client.db("admin").command({ buildInfo: 1 })).version;

/** How many documents each collection has, by `database.collection`: counted one by one. */
export async function countsOf(client: MongoClient, databases: readonly string[]): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const database of databases) {
    const names = Names.parse(await client.db(database).listCollections().toArray());
    for (const { name, type } of names)
      if (type === "collection" && !name.startsWith("system."))
        counts.set(`${database}.${name}`, await client.db(database).collection(name).countDocuments());
  }
  return counts;
}

/** What there is beside collections of documents. */
export async function othersOf(client: MongoClient, databases: readonly string[]): Promise<Others> {
  const found: { timeSeries: string[]; views: string[] } = { timeSeries: [], views: [] };
  for (const database of databases)
    for (const { name, type } of Names.parse(await client.db(database).listCollections().toArray())) {
      if (type === "timeseries") found.timeSeries.push(`${database}.${name}`);
      if (type === "view") found.views.push(`${database}.${name}`);
    }
  return found;
}
