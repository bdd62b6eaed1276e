// Keeps the primary's WAL, and tells it how that fares: what is to be done next, again and again.
import { mkdir, readFile } from "node:fs/promises";
import { log, textOf } from "../../log";
import { mebibytes } from "../../restore/decide";
import { nameOf, type Segment } from "../backup/continuity";
import { basesOf } from "./bases";
import { noteOf } from "./decide";
import { isUpTo } from "./lsn";
import { clusterDirectory, incomingIn, walLock } from "./names";
import { PrimarySession, type Look, type PrimaryArgs } from "./primary";
import { Progress } from "./progress";
import { isRemoved, Receiver } from "./receiver";
import { Sizes } from "./sizes";
import { startsOf } from "./start";
import { beginAt, keepHistories, settle, syncIncoming, walOf } from "./store";
import { tidy, type Tidied } from "./tidying";

/** How often what is there is looked through. */
const tidyMs = 15_000;
/** How long the primary may not answer before its stream is ended: one that stops waits for the stream to have all, however much that is. */
const unansweredMs = 5_000;
/** How much more than the least must be free before a full volume is written to again: else it would be full again at once. */
const resumeBytes = 64 * 1024 ** 2;

/** What it works with. */
export interface ArchiverArgs {
  readonly backups: string;
  readonly database: string;
  readonly keptFile: string;
  readonly retention: number;
  readonly primary: PrimaryArgs;
}

/** What it has from elsewhere. */
export interface ArchiverParts {
  readonly primary: Pick<PrimarySession, "look" | "advance" | "tell" | "close">;
  readonly receive: (directory: string) => Pick<Receiver, "name" | "end" | "stop">;
  readonly sizes: Pick<Sizes, "of" | "idle">;
  readonly room?: (directory: string) => Promise<{ free: number }>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** What is being received. */
interface Stream {
  readonly cluster: string;
  readonly receiver: Pick<Receiver, "name" | "end" | "stop">;
  readonly progress: Progress;
}

/** See the header. */
export class Archiver {
  readonly #args: ArchiverArgs;
  readonly #parts: ArchiverParts;
  #stream: Stream | undefined;
  /** How many of the places to begin at the primary has not the WAL of any more. */
  #passedOver = 0;
  #cluster: string | undefined;
  #tidied: Tidied | undefined;
  #tidiedAt = -Infinity;
  #tidying: Promise<void> | undefined;
  #problem: string | undefined;
  #full: string | undefined;
  #why: string | undefined;
  #failingSince: number;
  #unansweredSince: number | undefined;
  #said = "";
  #beat = 0;

  constructor(args: ArchiverArgs, parts: Partial<ArchiverParts> = {}) {
    this.#args = args;
    this.#parts = {
      primary: new PrimarySession(args.primary),
      receive: (directory) => new Receiver(directory, args.primary),
      sizes: new Sizes(),
      now: () => performance.now(),
      ...parts,
    };
    this.#failingSince = this.#parts.now();
  }

  /** Looks, and does the next thing. */
  async turn(): Promise<void> {
    try {
      this.#why = await this.#receive();
    } catch (error) {
      this.#why = textOf(error);
    }
    // the first time there is nothing to tell before; later it may take long where the volume is slow
    this.#tidyNow();
    if (this.#tidied === undefined) await this.#tidying;
    this.#why ??= this.#problem;
    if (this.#why === undefined) this.#failingSince = this.#parts.now();
    this.#say(this.#why ?? "");
    await this.#tell().catch((error: unknown) => {
      this.#say(`how it fares cannot be told: ${textOf(error)}`);
    });
  }

  async stop(): Promise<void> {
    await this.#end();
    await this.idle();
    this.#parts.primary.close();
  }

  /** Until nothing is done in the background. */
  async idle(): Promise<void> {
    await this.#tidying;
    await this.#parts.sizes.idle();
  }

  /** What is waited for; undefined where all arrives. */
  async #receive(): Promise<string | undefined> {
    const look = await this.#look();
    this.#meet(look.cluster);
    if (this.#full !== undefined) {
      await this.#end();
      return this.#full;
    }
    const directory = clusterDirectory(this.#args.backups, look.cluster);
    await this.#endWhereOver(look.cluster);
    const stream = (this.#stream ??= await this.#begin(directory, look));
    if (stream === undefined) return noSlot;
    await settle(directory, false);
    await this.#keep(directory, look);
    const why = this.#progress(stream.progress, look);
    if (stream.progress.isStandingStill(this.#parts.now())) await this.#end();
    return why ?? (look.slot === undefined ? noSlot : undefined);
  }

  async #look(): Promise<Look> {
    const { primary, now } = this.#parts;
    try {
      const found = await primary.look(this.#stream?.receiver.name);
      this.#unansweredSince = undefined;
      return found;
    } catch (error) {
      this.#unansweredSince ??= now();
      if (now() - this.#unansweredSince >= unansweredMs) await this.#end();
      throw error;
    }
  }

  /** What is known is of one cluster: after an upgrade there is another one. */
  #meet(cluster: string): void {
    if (this.#cluster === cluster) return;
    this.#cluster = cluster;
    this.#full = undefined;
    this.#tidied = undefined;
    this.#tidiedAt = -Infinity;
    this.#passedOver = 0;
  }

  /** Throws what the stream ended by, but where another place to begin at may do. */
  async #endWhereOver(cluster: string): Promise<void> {
    const ended = this.#stream?.receiver.end;
    if (ended === undefined && this.#stream?.cluster === cluster) return;
    await this.#end();
    if (ended === undefined) return;
    if (!isRemoved(ended)) throw new Error(ended);
    this.#passedOver++;
  }

  /** Undefined where nothing holds WAL for it. */
  async #begin(directory: string, { slot, ...look }: Look): Promise<Stream | undefined> {
    if (slot === undefined) return undefined;
    const { backups, database } = this.#args;
    await mkdir(directory, { recursive: true });
    await settle(directory, true);
    await keepHistories(directory, look.histories, walLock(backups));
    const base = (await basesOf(backups, database, look.cluster)).at(-1)?.end;
    const starts = startsOf({ ...(await walOf(directory)), base }, { ...look, slot });
    const start: Segment | undefined = starts[this.#passedOver] ?? starts.at(-1);
    if (start === undefined) throw new Error("the primary does not say where its WAL begins");
    if (this.#passedOver >= starts.length) this.#passedOver = 0;
    await beginAt(directory, start, walLock(backups));
    log("receiving WAL", { from: nameOf(start) });
    const receiver = this.#parts.receive(incomingIn(directory));
    return { cluster: look.cluster, receiver, progress: new Progress(look.lsn, this.#parts.now()) };
  }

  /** What has come is on disk before the primary hears of it. */
  async #keep(directory: string, { brought, slot }: Look): Promise<void> {
    if (brought === undefined || slot === undefined || isUpTo(slot, brought)) return;
    await syncIncoming(directory);
    await this.#parts.primary.advance(brought);
  }

  #progress(progress: Progress, { brought, lsn }: Look): string | undefined {
    const before = progress.hasArrived;
    const why = progress.see(brought, lsn, this.#parts.now());
    if (!before && progress.hasArrived) {
      // what is missing is known only now
      this.#tidiedAt = -Infinity;
      this.#passedOver = 0;
    }
    return why;
  }

  async #end(): Promise<void> {
    const former = this.#stream;
    this.#stream = undefined;
    await former?.receiver.stop();
  }

  #tidyNow(): void {
    const { now } = this.#parts;
    if (this.#cluster === undefined || this.#tidying !== undefined || now() - this.#tidiedAt < tidyMs) return;
    this.#tidiedAt = now();
    this.#tidying = this.#tidy(this.#cluster)
      .catch((error: unknown) => {
        this.#problem = textOf(error);
      })
      .finally(() => {
        this.#tidying = undefined;
      });
  }

  async #tidy(cluster: string): Promise<void> {
    const { backups, database, keptFile, retention } = this.#args;
    const found = await tidy(
      {
        ...{ backups, database, retention, cluster, before: this.#tidied, sizes: this.#parts.sizes },
        kept: await keptIn(keptFile),
        isSettled: this.#stream?.progress.hasArrived === true,
      },
      this.#parts.room,
    );
    if (cluster !== this.#cluster) return;
    this.#tidied = found;
    this.#problem = found.problem;
    const least = this.#full === undefined ? 0 : -resumeBytes;
    this.#full =
      found.missing > least
        ? `the backup volume lacks ${mebibytes(found.missing - least)} for the next backup: raise spec.backup.destination.volume.size, or take backups more often`
        : undefined;
  }

  async #tell(): Promise<void> {
    const ms = this.#parts.now() - this.#failingSince;
    const trouble = this.#why === undefined ? undefined : { why: this.#why, ms };
    const { from, gap } = this.#tidied ?? { from: undefined, gap: undefined };
    const note = noteOf({ from, gap, trouble });
    // one that says nothing of a gap while all arrives knows that there is none
    if (this.#tidied === undefined && note.state === "Arriving") return;
    // each time another one: the session of a program that is gone may live for long
    await this.#parts.primary.tell({ ...note, beat: ++this.#beat });
  }

  #say(why: string): void {
    if (why !== this.#said && why !== "") log("WAL waits", { why });
    this.#said = why;
  }
}

const noSlot = "the primary has no replication slot for it yet";

/** The labels in a file of the pod, which follows what people want; undefined where it is not known. */
async function keptIn(file: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : new Set(text.trim().split(" "));
}
