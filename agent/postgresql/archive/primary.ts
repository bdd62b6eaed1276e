// What the program that keeps WAL asks the primary, and tells it.
import { z } from "zod";
import { archiveSlot, type ToldNote } from "../../../contract/archive-note";
import { openSession, type Session } from "../server/connection";
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
  /** From where on its slot holds WAL: up to there all has arrived. Undefined while there is none. */
  readonly slot: string | undefined;
  /** Whether something receives WAL by it. */
  readonly isReceiving: boolean;
  /** By the number of their timelines. */
  readonly histories: ReadonlyMap<number, string>;
}

const patienceMs = 10_000;

const look = `
  SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
    CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn()::text END,
    CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_flush_lsn()) END,
    (SELECT restart_lsn::text FROM pg_replication_slots WHERE slot_name = '${archiveSlot}' AND wal_status <> 'lost'),
    EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '${archiveSlot}' AND active)
`;
const histories = `
  SELECT name, convert_from(pg_read_binary_file('pg_wal/' || name), 'UTF8') FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{8}\\.history$'
`;

const Rows = z.tuple([
  z.tuple([z.boolean(), z.string(), z.string().nullable(), z.string().nullable(), z.string().nullable(), z.boolean()]),
]);
const Histories = z.array(z.tuple([z.string(), z.string()]));

/** A session there, which is made when it is needed. */
export class PrimarySession {
  readonly #args: PrimaryArgs;
  #session: Session | undefined;

  constructor(args: PrimaryArgs) {
    this.#args = args;
  }

  /** Throws where the server is not the primary. */
  async look(): Promise<Look> {
    return this.#with(async (session) => {
      const [[isInRecovery, cluster, lsn, file, slot, isReceiving]] = Rows.parse(await session.rows(look));
      if (isInRecovery || lsn === null || file === null) throw new Error(`${this.#args.host} leads to no primary`);
      const found = Histories.parse(await session.rows(histories));
      const texts = new Map(found.map(([name, text]) => [Number.parseInt(name, 16), text]));
      const timeline = Number.parseInt(file.slice(0, 8), 16);
      const forks: readonly Fork[] = forksIn(texts.get(timeline) ?? "");
      return { cluster, lsn, timeline, forks, histories: texts, slot: slot ?? undefined, isReceiving };
    });
  }

  async tell(note: ToldNote): Promise<void> {
    await this.#with((session) => session.run(statementOf(note)));
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  async #with<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.#session ??= await openSession({ ...this.#args, program: archiveProgram, withinMs: patienceMs });
    try {
      return await work(this.#session);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

const comparable = (lsn: string): bigint => {
  const [log = "0", offset = "0"] = lsn.split("/");
  return (BigInt(`0x${log}`) << 32n) + BigInt(`0x${offset}`);
};

/** Whether one position of the log is not before another. */
export const isUpTo = (lsn: string, wanted: string): boolean => comparable(lsn) >= comparable(wanted);
