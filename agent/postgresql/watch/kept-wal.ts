// That WAL is kept on the backup volume: the program that does so says how that fares in a session on the primary, which writes it on its pod. Where no
// such session is there for long, that is what it writes. It commits something from time to time as well, so that a database in which nothing happens can
// be restored to a moment after its last commit.
import { archiveSlot, type ArchiveNote } from "../../../contract/archive-note";
import { textOf } from "../../log";
import { noteIn } from "../archive/told";
import type { Log } from "../log";
import type { Kubernetes, KeptWal as Facts, Patroni, Server, Sql, Watch } from "./ports";

/** A note is written again after that, as another client may have changed it. */
const repeatMs = 60_000;
/** How long the program may be silent, or all of it be away: its pod may be moved, and another member may just have become primary. */
const silenceMs = 90_000;
const beatMs = 60_000;
/** How often Patroni is asked whether WAL is to be kept, where nothing else says so. */
const askingMs = 60_000;

/** What it needs. */
export interface KeptWalParts {
  readonly self: string;
  /** Name of the Database. */
  readonly database: string;
  readonly namespace: string;
  readonly server: Pick<Server, "isPrimary">;
  readonly sql: Pick<Sql, "keptWal" | "letSeeStreams" | "beat">;
  readonly patroni: Pick<Patroni, "configuration">;
  readonly kubernetes: Pick<Kubernetes, "noteArchive">;
  readonly log: Log;
  /** Milliseconds of a clock that only goes forward. Default: the process's own. */
  readonly now?: () => number;
}

/** See the header. */
export class KeptWal implements Watch {
  readonly pauseMs = 5_000;
  readonly #parts: KeptWalParts;
  #written = "";
  #writtenAt = -Infinity;
  #beatAt = -Infinity;
  #heardAt: number | undefined;
  #awayAt: number | undefined;
  #askedAt = -Infinity;
  /** The session of a program that is gone lives on where its node is: what it said last is not heard again. */
  #beat: number | undefined;
  #said = "";

  constructor(parts: KeptWalParts) {
    this.#parts = parts;
  }

  async look(): Promise<void> {
    const { server, sql, now = () => performance.now() } = this.#parts;
    const isPrimary = await server.isPrimary();
    const facts = isPrimary ? await sql.keptWal() : undefined;
    if (facts === undefined) await this.#withdraw();
    else if (facts.said === undefined && !facts.isHeld) await this.#without(now());
    else await this.#with(facts, now());
    this.#said = "";
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.#parts.log(`how the WAL on the backup volume fares cannot be told: ${why}`);
    this.#said = why;
  }

  async #with({ said, isBlind }: Facts, now: number): Promise<void> {
    this.#awayAt = undefined;
    if (isBlind) await this.#parts.sql.letSeeStreams();
    await this.#beatNow(now);
    const note = this.#heard(said);
    // for a new primary the time begins with its first look
    if (note !== undefined || this.#heardAt === undefined) this.#heardAt = now;
    if (note !== undefined) await this.#tell(note, now);
    else if (now - this.#heardAt >= silenceMs) await this.#tell(this.#silence(said), now);
  }

  #heard(said: string | undefined): ArchiveNote | undefined {
    const found = said === undefined ? undefined : noteIn(said);
    if (found === undefined) return undefined;
    const { beat, ...note } = found;
    const isNew = beat !== this.#beat;
    this.#beat = beat;
    return isNew ? note : undefined;
  }

  #silence(said: string | undefined): ArchiveNote {
    const { database, namespace } = this.#parts;
    const message =
      said?.startsWith("SELECT 'archive:") === true && noteIn(said) === undefined
        ? "what the program that keeps the WAL says is cut off by spec.config.track_activity_query_size: it must be 1024 or more"
        : `Deployment ${database}-archive, which keeps the WAL, has not been heard of: see kubectl describe deployment ${database}-archive -n ${namespace}`;
    return { state: "Waiting", message };
  }

  async #tell(told: ArchiveNote, now: number): Promise<void> {
    const note = JSON.stringify(told);
    if (note === this.#written && now - this.#writtenAt < repeatMs) return;
    await this.#parts.kubernetes.noteArchive(this.#parts.self, note);
    this.#written = note;
    this.#writtenAt = now;
  }

  async #beatNow(now: number): Promise<void> {
    if (now - this.#beatAt < beatMs) return;
    await this.#parts.sql.beat();
    this.#beatAt = now;
  }

  /** Neither the program nor its slot is there. A slot that was lost comes back soon, where Patroni can make it. */
  async #without(now: number): Promise<void> {
    this.#heardAt = undefined;
    this.#awayAt ??= now;
    if (now - this.#awayAt < silenceMs || now - this.#askedAt < askingMs) return;
    const { slots } = await this.#parts.patroni.configuration();
    this.#askedAt = now;
    if (slots?.[archiveSlot] === undefined) {
      await this.#withdraw();
      this.#awayAt = now - silenceMs;
      return;
    }
    await this.#beatNow(now);
    await this.#tell({ state: "Waiting", message: noSlot }, now);
  }

  /** Of a member that is no primary, or where no WAL is kept, nothing is said. */
  async #withdraw(): Promise<void> {
    this.#heardAt = undefined;
    this.#awayAt = undefined;
    if (this.#written === "") return;
    await this.#parts.kubernetes.noteArchive(this.#parts.self, undefined);
    this.#written = "";
  }
}

const noSlot = `the primary has no replication slot ${archiveSlot}, which Patroni makes: is spec.config.max_replication_slots used up? See pg_replication_slots`;
