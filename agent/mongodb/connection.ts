// Servers over MongoDB's own driver: one connection without a user, one as the administrator, and a short one to each peer.
import { MongoClient, type MongoClientOptions } from "mongodb";
import { administrator, refusalCodes, refusalOf, type Command, type Servers } from "./ports";

/** How long a server may take to be found and to answer a greeting, in milliseconds. */
const patienceMs = 1_000;
/** A step down waits for another member, and a new configuration for a majority. */
const longPatienceMs = 30_000;

const options: MongoClientOptions = {
  directConnection: true,
  serverSelectionTimeoutMS: patienceMs,
  connectTimeoutMS: patienceMs,
  socketTimeoutMS: longPatienceMs,
  maxPoolSize: 2,
  // each command reports its own failure
  retryReads: false,
  retryWrites: false,
  appName: "database-agent",
};

/** Where the member's own server is, and how to log in there. */
export interface OwnServer {
  /** Host and port; for `mongod` on the member's own machine, where the first user can be made. */
  readonly address: string;
  readonly password: string;
}

/** Connections to one server as one user. */
class Line {
  readonly #address: string;
  readonly #options: MongoClientOptions;
  #client: MongoClient | undefined;

  constructor(address: string, more: MongoClientOptions) {
    this.#address = address;
    this.#options = { ...options, ...more };
  }

  /** A client whose first connection failed stays closed forever: it is dropped, and the next command uses another one. */
  async ask(command: Command): Promise<unknown> {
    this.#client ??= new MongoClient(`mongodb://${this.#address}/`, this.#options);
    try {
      return await this.#client.db("admin").command({ ...command });
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === undefined || refused === refusalCodes.authenticationFailed) await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close().catch(() => undefined);
  }
}

/** See the header. `close` ends the connections. */
export class DriverServers implements Servers {
  readonly #nobody: Line;
  readonly #administrator: Line;

  constructor(own: OwnServer) {
    this.#nobody = new Line(own.address, {});
    this.#administrator = new Line(own.address, {
      auth: { username: administrator, password: own.password },
      authSource: "admin",
    });
  }

  asNobody(command: Command): Promise<unknown> {
    return this.#nobody.ask(command);
  }

  asAdministrator(command: Command): Promise<unknown> {
    return this.#administrator.ask(command);
  }

  async peer(host: string, command: Command): Promise<unknown> {
    const limits = { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 1_000 };
    const line = new Line(host, limits);
    try {
      return await line.ask(command);
    } finally {
      await line.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#nobody.close(), this.#administrator.close()]);
  }
}
