// What the watch asks servers, and has them do, by SQL.
import { z } from "zod";
import type { ClusterMember } from "../patroni/answers";
import { socketDirectory, withSession, type SessionArgs } from "../server/connection";
import { withPeer } from "../server/peer";
import { ensureRolesAt, makerSettings } from "../server/roles";
import type { MemberSettings } from "../settings";
import { escapeIdentifier, escapeLiteral } from "pg";
import { archiveSlot } from "../../../contract/archive-note";
import { archiveProgram } from "../archive/names";
import type { Archive, HoldingSlot, KeptWal, Sql } from "./ports";

const patienceMs = 10_000;
/** For the server to say itself that it took too long. */
const graceMs = 1_000;

const patient = { statement_timeout: `${patienceMs / 1_000}s` };

// Slots of streams of changes belong to their owners. The others are Patroni's, which makes those that are needed in its next loop.
const dropLostSlots = `
  SELECT slot_name, pg_drop_replication_slot(slot_name)
  FROM pg_replication_slots
  WHERE slot_type = 'physical' AND NOT temporary AND wal_status = 'lost' AND NOT active
`;

// A replica cannot make such a slot: it was made here when this member was primary.
const dropFormerSlots = `
  SELECT slot_name, pg_drop_replication_slot(slot_name)
  FROM pg_replication_slots
  WHERE pg_is_in_recovery() AND slot_type = 'logical' AND failover AND NOT synced AND NOT active
`;

/** The first version with failover slots. */
const failoverSlotsVersion = 170_000;

// By number of segment: names begin with a timeline, and the two may be on different ones.
const oldestSegment = `
  SELECT bytes * min(
    ('x' || substr(name, 9, 8))::bit(32)::bigint * (4294967296 / bytes) + ('x' || substr(name, 17, 8))::bit(32)::bigint
  )
  FROM pg_ls_waldir(), (SELECT setting::bigint AS bytes FROM pg_settings WHERE name = 'wal_segment_size') AS segment
  WHERE name ~ '^[0-9A-F]{24}$' AND NOT pg_is_in_recovery()
  GROUP BY bytes
`;

// a failure counts until something arrives
const archive = `
  SELECT extract(epoch FROM current_setting('archive_timeout')::interval)::float8,
    CASE WHEN last_failed_time > coalesce(last_archived_time, '-infinity')
      THEN extract(epoch FROM now() - coalesce(last_archived_time, stats_reset, pg_postmaster_start_time()))::float8
      ELSE 0 END
  FROM pg_stat_archiver
  WHERE current_setting('archive_mode') = 'on' AND NOT pg_is_in_recovery()
`;

const holdingSlot = `
  SELECT slot_name, coalesce(wal_status, ''), active, greatest(0, pg_wal_lsn_diff(
    CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) ELSE pg_current_wal_lsn() END,
    restart_lsn
  ))::bigint AS bytes
  FROM pg_replication_slots
  WHERE restart_lsn IS NOT NULL
  ORDER BY bytes DESC
  LIMIT 1
`;

// no role sees positions of streams without it, also of its own; that of members' programs may copy all data in any case
const seesStreams = "pg_read_all_stats";

// only the role of our own programs counts
const keptWal = (user: string): string => `
  SELECT (
    SELECT query FROM pg_stat_activity
    WHERE usename = ${escapeLiteral(user)} AND application_name = '${archiveProgram}' AND backend_type = 'client backend'
    ORDER BY backend_start DESC
    LIMIT 1
  ), EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '${archiveSlot}'),
    NOT pg_has_role(${escapeLiteral(user)}, '${seesStreams}', 'USAGE')
  WHERE NOT pg_is_in_recovery()
`;

const HoldingRows = z.array(z.tuple([z.string(), z.string(), z.boolean(), z.coerce.number()]));
const SlotRows = z.array(z.tuple([z.string()], z.unknown()));
const ArchiveRows = z.array(z.tuple([z.number(), z.number()]));
const KeptRows = z.array(z.tuple([z.string().nullable(), z.boolean(), z.boolean()]));
const Positions = z.array(z.tuple([z.coerce.number()]));

/** See the header. */
export class ServerSql implements Sql {
  readonly #settings: Pick<MemberSettings, "superuser" | "replication">;

  constructor(settings: Pick<MemberSettings, "superuser" | "replication">) {
    this.#settings = settings;
  }

  dropLostSlots(): Promise<readonly string[]> {
    return this.#dropSlots(dropLostSlots, 0);
  }

  dropFormerSlots(): Promise<readonly string[]> {
    return this.#dropSlots(dropFormerSlots, failoverSlotsVersion);
  }

  async holdingSlot(): Promise<HoldingSlot | undefined> {
    const args = { ...this.#here("postgres", "watch"), settings: patient };
    const rows = HoldingRows.parse(await withSession(args, (session) => session.rows(holdingSlot)));
    return rows.map(([name, walStatus, active, bytes]) => ({ name, walStatus, active, bytes }))[0];
  }

  ensureRoles(): Promise<void> {
    const { user, password } = this.#settings.superuser;
    return ensureRolesAt({ ...this.#here(user, "roles"), settings: makerSettings }, password);
  }

  async archive(): Promise<Archive | undefined> {
    const args = { ...this.#here("postgres", "watch"), settings: patient };
    const rows = ArchiveRows.parse(await withSession(args, (session) => session.rows(archive)));
    const [row] = rows;
    return row && { everySeconds: row[0], waitingSeconds: row[1] };
  }

  async keptWal(): Promise<KeptWal | undefined> {
    const args = { ...this.#here("postgres", "watch"), settings: patient };
    const statement = keptWal(this.#settings.replication.user);
    const [row] = KeptRows.parse(await withSession(args, (session) => session.rows(statement)));
    return row && { said: row[0] ?? undefined, isHeld: row[1], isBlind: row[2] };
  }

  async letSeeStreams(): Promise<void> {
    const args = { ...this.#here("postgres", "watch"), settings: { ...patient, ...makerSettings } };
    const user = escapeIdentifier(this.#settings.replication.user);
    await withSession(args, (session) => session.run(`GRANT ${seesStreams} TO ${user}`));
  }

  async beat(): Promise<void> {
    const args = { ...this.#here("postgres", "watch"), settings: patient };
    await withSession(args, (session) => session.run("SELECT pg_current_xact_id()"));
  }

  async oldestWal({ host, port }: ClusterMember): Promise<number | undefined> {
    if (typeof host !== "string" || typeof port !== "number") return undefined;
    const args: SessionArgs = {
      ...{ host, port, ...this.#settings.replication, program: "watch", settings: patient },
      withinMs: patienceMs + graceMs,
    };
    const rows = await withPeer(args, (session) => session.rows(oldestSegment));
    return Positions.parse(rows)[0]?.[0];
  }

  #dropSlots(statement: string, since: number): Promise<readonly string[]> {
    const args = { ...this.#here("postgres", "watch"), settings: patient };
    return withSession(args, async (session) => {
      if (session.version < since) return [];
      return SlotRows.parse(await session.rows(statement)).map(([name]) => name);
    });
  }

  /** The member's own server, which knows its superuser by the user of the process. */
  #here(user: string, program: string): SessionArgs {
    return { host: socketDirectory, user, program, withinMs: patienceMs + graceMs };
  }
}
