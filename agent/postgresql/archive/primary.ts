// What the program that keeps WAL asks the primary, and tells it.
import { escapeLiteral } from "pg";
import { z } from "zod";
import { archiveSlot, type ToldNote } from "../../../contract/archive-note";
import type { Session } from "../server/connection";
import { openPeer } from "../server/peer";
import { forksIn, type Fork } from "./lineage";
import { archiveProgram } from "./names";
import { statementOf } from "./told";
import type { Primary } from "./start";

/** Where it is, and by whom to connect. */
export interface PrimaryArgs {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** How it is now. */
export interface Look extends Omit<Primary, "slot"> {
  /** System identifier. */
  readonly cluster: string;
  /** From where on its slot holds WAL: all before is on the volume. Undefined while there is none. */
  readonly slot: string | undefined;
  /** Up to where a stream has brought WAL, which may not be on disk yet; undefined where it has none. */
  readonly brought: string | undefined;
  /** By the number of their timelines. */
  readonly histories: ReadonlyMap<number, string>;
}

const patienceMs = 10_000;

const look = `
  SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
    CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn()::text END,
    CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_flush_lsn()) END,
    (SELECT restart_lsn::text FROM pg_replication_slots WHERE slot_name = '${archiveSlot}' AND wal_status <> 'lost')
`;
const brought = (stream: string): string =>
  `SELECT write_lsn::text FROM pg_stat_replication WHERE application_name = ${escapeLiteral(stream)}`;
const advance = (lsn: string): string =>
  `SELECT pg_replication_slot_advance('${archiveSlot}', ${escapeLiteral(lsn)}::pg_lsn)`;

const histories = `
  SELECT name, convert_from(pg_read_binary_file('pg_wal/' || name), 'UTF8') FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{8}\\.history$'
`;

const Rows = z.tuple([
  z.tuple([z.boolean(), z.string(), z.string().nullable(), z.string().nullable(), z.string().nullable()]),
]);
const Brought = z.array(z.tuple([z.string().nullable()]));
const Histories = z.array(z.tuple([z.string(), z.string()]));

/** A session there, which is made when it is needed. */
export class PrimarySession {
  readonly #args: PrimaryArgs;
  #session: Session | undefined;
  /** Those of a timeline do not change, and to list its WAL takes long where there is much. */
  #histories: { readonly of: string; readonly texts: ReadonlyMap<number, string> } | undefined;

  constructor(args: PrimaryArgs) {
    this.#args = args;
  }

  /** Throws where the server is not the primary. `stream`: what the stream is called of which it is asked. */
  async look(stream: string | undefined): Promise<Look> {
    return this.#with(async (session) => {
      const [[isInRecovery, cluster, lsn, file, slot]] = Rows.parse(await session.rows(look));
      if (isInRecovery || lsn === null || file === null) throw new Error(`${this.#args.host} leads to no primary`);
      const timeline = Number.parseInt(file.slice(0, 8), 16);
      const texts = await this.#historiesOf(session, `${cluster} ${timeline}`);
      const forks: readonly Fork[] = forksIn(texts.get(timeline) ?? "");
      const [row] = stream === undefined ? [] : Brought.parse(await session.rows(brought(stream)));
      const arrived = { slot: slot ?? undefined, brought: row?.[0] ?? undefined };
      return { cluster, lsn, timeline, forks, histories: texts, ...arrived };
    });
  }

  async #historiesOf(session: Session, of: string): Promise<ReadonlyMap<number, string>> {
    if (this.#histories?.of === of) return this.#histories.texts;
    const found = Histories.parse(await session.rows(histories));
    const texts = new Map(found.map(([name, text]) => [Number.parseInt(name, 16), text]));
    this.#histories = { of, texts };
    return texts;
  }

  /** Lets the slot hold no more what is on the volume. By a stream's own slot its server would count it among the members that commits may wait for. */
  async advance(lsn: string): Promise<void> {
    await this.#with((session) => session.run(advance(lsn)));
  }

  async tell(note: ToldNote): Promise<void> {
    await this.#with((session) => session.run(statementOf(note)));
  }

  close(): void {
    this.#histories = undefined;
    this.#session?.close();
    this.#session = undefined;
  }

  async #with<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.#session ??= await openPeer({ ...this.#args, program: archiveProgram, withinMs: patienceMs });
    try {
      return await work(this.#session);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}
