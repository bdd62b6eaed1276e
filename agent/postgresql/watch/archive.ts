// That WAL goes to object storage: the primary says so, or why not, on its pod, and writes something from time to time, so that a database in which
// nothing happens can be restored to a moment after its last commit.
import { rm, readFile } from "node:fs/promises";
import { archiveFiles, type ArchiveNote } from "../../../contract/archive-note";
import { textOf } from "../../log";
import { complaintIn } from "../backup/complaint";
import type { Log } from "../log";
import type { Archive as ArchiveFacts, Kubernetes, Server, Sql, Watch } from "./ports";

/** A note is written again after that, as another client may have changed it. */
const repeatMs = 60_000;

/** How long segments may wait before that is told: one attempt may fail by chance. */
const patienceSeconds = 30;

const longestMessage = 400;

/** What the archive command left. */
type Said = Readonly<Record<"complaint" | "gap" | "dropping", string>>;

/** The note to write. `complaint`: what the archive command said last, where it failed. `gap`: what it noted of segments that were given up. `dropping`: the same, while nothing has arrived since: to give up is to be done for the server. */
export function noteOf({ waitingSeconds }: ArchiveFacts, { complaint, gap, dropping }: Said): ArchiveNote {
  const [, segment, at] = /^(\S+) (\S+)$/.exec(gap.trim()) ?? [];
  const given = segment !== undefined && at !== undefined ? { gap: { segment, at } } : {};
  if (waitingSeconds < patienceSeconds && dropping === "") return { state: "Arriving", ...given };
  const why = complaintIn(complaint).slice(0, longestMessage);
  return { state: "Waiting", message: why === "" ? "no reason was given" : why, ...given };
}

/** What it needs. */
export interface ArchiveParts {
  readonly self: string;
  readonly server: Pick<Server, "isPrimary">;
  readonly sql: Pick<Sql, "archive" | "beat">;
  readonly kubernetes: Pick<Kubernetes, "noteArchive">;
  readonly log: Log;
  /** Milliseconds of a clock that only goes forward. Default: the process's own. */
  readonly now?: () => number;
  /** The contents of a file; empty where there is none. Default: of this machine. */
  readonly read?: (file: string) => Promise<string>;
}

/** See the header. */
export class Archive implements Watch {
  readonly pauseMs = 5_000;
  readonly #parts: ArchiveParts;
  #written = "";
  #writtenAt = -Infinity;
  #beatAt = -Infinity;
  #failingSince: number | undefined;
  #said = "";

  constructor(parts: ArchiveParts) {
    this.#parts = parts;
  }

  async look(): Promise<void> {
    const { server, sql, now = () => performance.now(), read = contentsOf } = this.#parts;
    const facts = (await server.isPrimary()) ? await sql.archive() : undefined;
    if (facts === undefined) {
      this.#failingSince = undefined;
      await this.#withdraw();
      return;
    }
    if (now() - this.#beatAt >= facts.everySeconds * 1_000) {
      await sql.beat();
      this.#beatAt = now();
    }
    const { complaint, gap, dropping } = archiveFiles;
    const said = { complaint: await read(complaint), gap: await read(gap), dropping: await read(dropping) };
    const waitingSeconds = this.#waitingSeconds(facts, now());
    await this.#tell(JSON.stringify(noteOf({ ...facts, waitingSeconds }, said)), now());
    this.#said = "";
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.#parts.log(`how the archive fares cannot be told: ${why}`);
    this.#said = why;
  }

  /** The server knows when something arrived last, which may be long ago where little happens; not since when it has failed. */
  #waitingSeconds({ waitingSeconds }: ArchiveFacts, now: number): number {
    this.#failingSince = waitingSeconds === 0 ? undefined : (this.#failingSince ?? now);
    return this.#failingSince === undefined ? 0 : Math.min(waitingSeconds, (now - this.#failingSince) / 1_000);
  }

  async #tell(note: string, now: number): Promise<void> {
    if (note === this.#written && now - this.#writtenAt < repeatMs) return;
    await this.#parts.kubernetes.noteArchive(this.#parts.self, note);
    this.#written = note;
    this.#writtenAt = now;
  }

  /** Of a member that is no primary, or no longer, nothing is said; what it gave up is the former primary's. */
  async #withdraw(): Promise<void> {
    if (this.#written === "") return;
    await this.#parts.kubernetes.noteArchive(this.#parts.self, undefined);
    this.#written = "";
    for (const file of [archiveFiles.gap, archiveFiles.dropping]) await rm(file, { force: true });
  }
}

const contentsOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
