// An application that writes a row after the other, and remembers which were acknowledged, and in which segment of WAL each is.
import type { PostgresqlClient } from "./real-postgresql";

/** A row that the server has confirmed. Ids count from 1. */
export interface Acknowledged {
  readonly id: number;
  /** The segment of its data; its commit may be in the next one. */
  readonly segment: string;
  /** When the confirmation came, in milliseconds since 1970. */
  readonly at: number;
}

export class RowWriter {
  readonly acknowledged: Acknowledged[] = [];
  #failure: unknown;

  private constructor(private readonly client: PostgresqlClient) {}

  /** Creates the table `items`. */
  static async create(client: PostgresqlClient): Promise<RowWriter> {
    await client.ask("create table items (id int primary key)");
    return new RowWriter(client);
  }

  /** Why it has ended; undefined while it writes. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Writes one row. */
  async write(): Promise<void> {
    const id = this.acknowledged.length + 1;
    const returned = "pg_walfile_name(pg_current_wal_insert_lsn())";
    const [segment = ""] = (await this.client.ask(`insert into items values (${id}) returning ${returned}`)).split(
      "\n",
    );
    this.acknowledged.push({ id, segment, at: Date.now() });
  }

  /** Writes until a row is not acknowledged. */
  begin(): void {
    void (async () => {
      for (;;) await this.write();
    })().catch((error: unknown) => {
      this.#failure = error;
    });
  }
}
