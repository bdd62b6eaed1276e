// A server that answers in this process' pod alone, with data that no member uses: a Job loads a backup into it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { cleanEnvironment } from "../supervise/run";
import { whileItRuns, type PrivateProgram } from "../supervise/while-it-runs";
import { administrator } from "./ports";
import { ferretdbOn } from "./server-options";
import type { ServerKind } from "./settings";

const host = "127.0.0.1";
/** Nothing else listens in the pod of a Job. */
const usualPort = 27017;
const patienceMs = 2_000;

/** What it starts with. */
export interface PrivateServerArgs {
  readonly server: ServerKind;
  /** Where its data are, or come to be. */
  readonly data: string;
  /** For its own files, which may have secrets. */
  readonly directory: string;
  /** Of the administrator, which FerretDB makes when it first starts. */
  readonly password: string;
  /** By what `mongod` compresses collections. Default: its own. */
  readonly blockCompressor?: string | undefined;
  /** Default: the usual one. */
  readonly port?: number | undefined;
  /** Ends it at once. Default: nothing does. */
  readonly over?: AbortSignal | undefined;
}

/**
 * The options of a `mongod` of its own: it belongs to no replica set, whose members would take its data for theirs, and removes nothing that has
 * expired. Without access control, as a replay of an oplog needs rights that no user of ours has; it listens in its own pod.
 */
export const privateOptions = ({
  data,
  blockCompressor,
  port = usualPort,
}: Pick<PrivateServerArgs, "data" | "blockCompressor" | "port">): string =>
  JSON.stringify({
    net: { bindIp: host, port, unixDomainSocket: { enabled: false } },
    storage: {
      dbPath: data,
      // members use the files, in which a collection stays as it was made
      wiredTiger: { engineConfig: { cacheSizeGB: 0.25 }, collectionConfig: { blockCompressor } },
    },
    security: { authorization: "disabled" },
    setParameter: { ttlMonitorEnabled: false },
  });

/** What asks it. */
export class PrivateServer {
  readonly #args: PrivateServerArgs;
  readonly #address: string;

  constructor(args: PrivateServerArgs) {
    this.#args = args;
    this.#address = `${host}:${args.port ?? usualPort}`;
  }

  /** For programs of MongoDB: where it is, and in a file, as anyone on the node can read arguments, the password. */
  async toolOptions(): Promise<string[]> {
    const { server, directory, password } = this.#args;
    if (server === "mongod") return ["--uri", `mongodb://${this.#address}/?directConnection=true`];
    const secrets = join(directory, "tools.yaml");
    await writeFile(secrets, `password: ${JSON.stringify(password)}\n`, { mode: 0o600 });
    const uri = `mongodb://${administrator}@${this.#address}/?directConnection=true&authSource=admin`;
    return ["--config", secrets, "--uri", uri];
  }

  /** Does the work with a client that may do anything. */
  async withClient<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
    const client = new MongoClient(`mongodb://${this.#address}/`, this.#clientOptions());
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  #clientOptions(): MongoClientOptions {
    const { server, password } = this.#args;
    const auth = { auth: { username: administrator, password }, authSource: "admin" };
    return { directConnection: true, serverSelectionTimeoutMS: patienceMs, ...(server === "ferretdb" && auth) };
  }
}

/** Does the work while it runs, and ends it cleanly, with all on disk. Throws where it does not start, or ends otherwise. */
export async function withPrivateServer(
  args: PrivateServerArgs,
  work: (server: PrivateServer) => Promise<void>,
): Promise<void> {
  await mkdir(args.data, { recursive: true, mode: 0o700 });
  const own = new PrivateServer(args);
  const ask = (): Promise<unknown> =>
    own.withClient((client) => client.db("admin").command({ listDatabases: 1, nameOnly: true }));
  await whileItRuns({ ...(await programOf(args)), ask, over: args.over }, () => work(own));
}

async function programOf(args: PrivateServerArgs): Promise<Omit<PrivateProgram, "ask" | "over">> {
  const { server, data, directory, password, port } = args;
  if (server === "ferretdb") {
    const environment = { ...ferretdbOn(data, password), FERRETDB_LISTEN_ADDR: `${host}:${port ?? usualPort}` };
    return { command: "ferretdb", args: [], environment: cleanEnvironment(environment) };
  }
  const options = join(directory, "private.json");
  await writeFile(options, privateOptions(args), { mode: 0o600 });
  return { command: "mongod", args: ["--config", options], environment: cleanEnvironment() };
}
