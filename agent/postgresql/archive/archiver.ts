// Keeps the primary's WAL, and tells it how that fares: what is to be done next, again and again.
import { mkdir, readFile } from "node:fs/promises";
import { log, textOf } from "../../log";
import { mebibytes } from "../../restore/decide";
import { nameOf, type Segment } from "../backup/continuity";
import { basesOf } from "./bases";
import { noteOf } from "./decide";
import { clusterDirectory, incomingIn } from "./names";
import { isUpTo, PrimarySession, type Look, type PrimaryArgs } from "./primary";
import { isRemoved, Receiver } from "./receiver";
import { startsOf } from "./start";
import { beginAt, keepHistories, settle, walOf } from "./store";
import { tidy, type Tidied } from "./tidying";

/** How often what is there is looked through. */
const tidyMs = 15_000;
/** How long a stream may bring nothing of what the primary has written before another one is begun. */
const standstillMs = 30_000;
/** How long a stream must last to have begun: one that asks for what is not there any more ends at once. */
const beginningMs = 3_000;
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

/** The primary as it is, with its slot. */
type Slotted = Look & { readonly slot: string };

/** What is being received. */
interface Stream {
  readonly cluster: string;
  readonly receiver: Receiver;
  readonly begunAt: number;
  /** Up to where the primary had written at the last look at which all before had come. */
  target: string;
  reachedAt: number;
  hasArrived: boolean;
}

/** See the header. */
export class Archiver {
  readonly #args: ArchiverArgs;
  readonly #primary: PrimarySession;
  #stream: Stream | undefined;
  /** How many of the places to begin at the primary has not the WAL of any more. */
  #passedOver = 0;
  #cluster: string | undefined;
  #tidied: Tidied | undefined;
  #tidiedAt = -Infinity;
  #full: string | undefined;
  #why: string | undefined;
  #failingSince = performance.now();
  #said = "";
  #beat = 0;

  constructor(args: ArchiverArgs) {
    this.#args = args;
    this.#primary = new PrimarySession(args.primary);
  }

  /** Looks, and does the next thing. */
  async turn(): Promise<void> {
    try {
      this.#why = await this.#receive();
    } catch (error) {
      this.#why = textOf(error);
    }
    await this.#tidyNow().catch((error: unknown) => {
      this.#why ??= textOf(error);
    });
    if (this.#why === undefined) this.#failingSince = performance.now();
    this.#say(this.#why ?? "");
    await this.#tell().catch((error: unknown) => {
      this.#say(`how it fares cannot be told: ${textOf(error)}`);
    });
  }

  async stop(): Promise<void> {
    await this.#end();
    this.#primary.close();
  }

  /** What is waited for; undefined where all arrives. */
  async #receive(): Promise<string | undefined> {
    if (this.#full !== undefined) {
      await this.#end();
      return this.#full;
    }
    const look = await this.#primary.look();
    if (look.slot === undefined) return "the primary has no replication slot for it yet";
    this.#cluster = look.cluster;
    const directory = clusterDirectory(this.#args.backups, look.cluster);
    await this.#endWhereOver(look.cluster);
    const stream = (this.#stream ??= await this.#begin(directory, { ...look, slot: look.slot }));
    await settle(directory, false);
    const why = this.#progress(stream, { ...look, slot: look.slot });
    if (why !== undefined && performance.now() - stream.reachedAt >= standstillMs) await this.#end();
    return why;
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

  async #begin(directory: string, look: Slotted): Promise<Stream> {
    const { backups, database, primary } = this.#args;
    await mkdir(directory, { recursive: true });
    await settle(directory, true);
    await keepHistories(directory, look.histories);
    const base = (await basesOf(backups, database, look.cluster)).at(-1)?.end;
    const starts = startsOf({ ...(await walOf(directory)), base }, look);
    const start: Segment | undefined = starts[this.#passedOver] ?? starts.at(-1);
    if (start === undefined) throw new Error("the primary does not say where its WAL begins");
    if (this.#passedOver >= starts.length) this.#passedOver = 0;
    await beginAt(directory, start);
    log("receiving WAL", { from: nameOf(start) });
    const receiver = new Receiver(incomingIn(directory), primary);
    const now = performance.now();
    return { cluster: look.cluster, receiver, begunAt: now, target: look.lsn, reachedAt: now, hasArrived: false };
  }

  #progress(stream: Stream, { slot: arrived, lsn, isReceiving }: Slotted): string | undefined {
    const hasBegun = isReceiving && performance.now() - stream.begunAt >= beginningMs;
    if (hasBegun && isUpTo(arrived, stream.target)) {
      // what is missing is known only now
      if (!stream.hasArrived) this.#tidiedAt = -Infinity;
      stream.hasArrived = true;
      this.#passedOver = 0;
      stream.target = lsn;
      stream.reachedAt = performance.now();
      return undefined;
    }
    if (stream.hasArrived && performance.now() - stream.reachedAt < standstillMs) return undefined;
    return `what the primary wrote up to ${stream.target} has not come: it is received up to ${arrived}`;
  }

  async #end(): Promise<void> {
    const former = this.#stream;
    this.#stream = undefined;
    await former?.receiver.stop();
  }

  async #tidyNow(): Promise<void> {
    if (this.#cluster === undefined || performance.now() - this.#tidiedAt < tidyMs) return;
    this.#tidiedAt = performance.now();
    const { backups, database, keptFile, retention } = this.#args;
    this.#tidied = await tidy({
      ...{ backups, database, retention, cluster: this.#cluster, before: this.#tidied?.count },
      kept: await keptIn(keptFile),
      isSettled: this.#stream?.hasArrived === true,
    });
    const least = this.#full === undefined ? 0 : -resumeBytes;
    const { missing } = this.#tidied;
    this.#full =
      missing > least
        ? `the backup volume lacks ${mebibytes(missing - least)} for the next backup: raise spec.backup.destination.volume.size, or take backups more often`
        : undefined;
  }

  async #tell(): Promise<void> {
    const ms = performance.now() - this.#failingSince;
    const trouble = this.#why === undefined ? undefined : { why: this.#why, ms };
    const { from, gap } = this.#tidied ?? { from: undefined, gap: undefined };
    // each time another one: the session of a program that is gone may live for long
    await this.#primary.tell({ ...noteOf({ from, gap, trouble }), beat: ++this.#beat });
  }

  #say(why: string): void {
    if (why !== this.#said && why !== "") log("WAL waits", { why });
    this.#said = why;
  }
}

/** The labels in a file of the pod, which follows what people want; undefined where it is not known. */
async function keptIn(file: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : new Set(text.trim().split(" "));
}
