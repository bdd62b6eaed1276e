// That WAL is kept on the backup volume: the program that does so says how that fares in a session on the primary, which writes it on its pod. Where no
// such session is there for long, that is what it writes. It commits something from time to time as well, so that a database in which nothing happens can
// be restored to a moment after its last commit.
import type { ArchiveNote } from "../../../contract/archive-note";
import { textOf } from "../../log";
import { noteIn } from "../archive/told";
import type { Log } from "../log";
import type { Kubernetes, KeptWal as Facts, Server, Sql, Watch } from "./ports";

/** A note is written again after that, as another client may have changed it. */
const repeatMs = 60_000;
/** How long the program may be silent, or its slot be away: its pod may be moved, and another member may just have become primary. */
const silenceMs = 90_000;
const beatMs = 60_000;

/** What it needs. */
export interface KeptWalParts {
  readonly self: string;
  /** Name of the Database. */
  readonly database: string;
  readonly namespace: string;
  readonly server: Pick<Server, "isPrimary">;
  readonly sql: Pick<Sql, "keptWal" | "beat">;
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
    if (facts === undefined) await this.#without(isPrimary, now());
    else await this.#with(facts, now());
    this.#said = "";
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.#parts.log(`how the WAL on the backup volume fares cannot be told: ${why}`);
    this.#said = why;
  }

  async #with({ said }: Facts, now: number): Promise<void> {
    this.#awayAt = undefined;
    if (now - this.#beatAt >= beatMs) {
      await this.#parts.sql.beat();
      this.#beatAt = now;
    }
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

  /** Of a member that is no primary nothing is said. On a primary a slot that was lost comes back soon. */
  async #without(isPrimary: boolean, now: number): Promise<void> {
    this.#heardAt = undefined;
    this.#awayAt ??= now;
    if (this.#written === "" || (isPrimary && now - this.#awayAt < silenceMs)) return;
    await this.#parts.kubernetes.noteArchive(this.#parts.self, undefined);
    this.#written = "";
  }
}
