// A small Database of each engine, named after it, with rows that an application counts.
import type { Collection } from "mongodb";
import type { EngineName } from "../../../contract/engines";
import { builtVersion } from "../../harness/built-versions";
import { eventually, minutes } from "../../harness/eventually";
import type { PlatformCluster } from "../../harness/platform-cluster";
import { valueOf, withClient } from "../../harness/real-mongodb";
import { MysqlClient } from "../../harness/real-mysql";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { modestDatabase } from "../story";

interface Item {
  readonly _id: number;
}

const replicas: Readonly<Record<EngineName, number>> = { postgresql: 2, mysql: 1, mongodb: 1 };
const table = "create table if not exists items (id int primary key)";

export class ReleasedDatabases {
  readonly #platform: PlatformCluster;
  readonly #namespace: string;
  readonly #postgresql: PostgresqlClient;
  #mysql: Promise<MysqlClient> | undefined;

  constructor(platform: PlatformCluster, namespace: string) {
    this.#platform = platform;
    this.#namespace = namespace;
    const { image } = builtVersion(platform, "postgresql");
    this.#postgresql = new PostgresqlClient(platform.kubectl, { namespace, database: "postgresql", image });
  }

  async apply(engine: EngineName, more: Record<string, unknown> = {}): Promise<void> {
    const { version } = builtVersion(this.#platform, engine);
    const spec = { engine, version, replicas: replicas[engine], storage: "1Gi", deletionPolicy: "Delete" };
    await this.#platform.kubectl.apply(
      modestDatabase(engine, this.#namespace, { ...spec, backup: { enabled: false }, ...more }),
    );
  }

  async addRow(engine: EngineName, id: number): Promise<void> {
    switch (engine) {
      case "postgresql":
      case "mysql":
        await this.#ask(engine, `${table}; insert into items values (${id})`);
        return;
      case "mongodb":
        await this.#items((items) => items.insertOne({ _id: id }));
    }
  }

  /** How many an application finds: right after a Database is Ready, its Service may lead there a moment later. */
  rows(engine: EngineName): Promise<number> {
    return eventually(async () => {
      if (engine === "mongodb") return this.#items((items) => items.countDocuments());
      return Number(await this.#ask(engine, "select count(*) from items"));
    }, minutes(1));
  }

  workMem(): Promise<string> {
    return this.#postgresql.ask("show work_mem");
  }

  async #ask(engine: "postgresql" | "mysql", sql: string): Promise<string> {
    if (engine === "postgresql") return this.#postgresql.ask(sql);
    return (await (this.#mysql ??= this.#startMysql())).ask(sql);
  }

  async #startMysql(): Promise<MysqlClient> {
    const client = new MysqlClient(this.#platform.kubectl, this.#namespace, "mysql");
    await client.start(builtVersion(this.#platform, "mysql").image);
    return client;
  }

  async #items<T>(work: (items: Collection<Item>) => Promise<T>): Promise<T> {
    const { kubectl } = this.#platform;
    const uri = await valueOf(kubectl, "mongodb-credentials", this.#namespace, "uri");
    return withClient({ kubectl, namespace: this.#namespace, uri }, (client) =>
      work(client.db().collection<Item>("items")),
    );
  }
}
