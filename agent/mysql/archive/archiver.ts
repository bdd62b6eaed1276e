// Follows a member, keeps order among what has come, and tells the primary how that fares: what is to be done next, again and again.
import type { Connection } from "mysql2/promise";
import { archiveVariable, type ToldNote } from "../../../contract/archive-note";
import { log, textOf } from "../../log";
import { mebibytes } from "../../restore/decide";
import { better, positionOf, type Position } from "../copies/source";
import { connectTo, primaryAt, type RemoteArgs } from "../remote";
import { advance } from "./advance";
import { keptIn } from "./bases";
import { Following } from "./following";
import { noteArrived } from "./group-notes";
import { Horizon } from "./horizon";
import { lookAt, onlineHosts } from "./member";
import { noteOf } from "./note";
import { tidy, type Tidied } from "./tidying";

/** How often what is there is looked through. */
const tidyMs = 15_000;
const patienceMs = 5_000;
/** How often a member is asked how large it is: it looks at each of its tablespaces for that, of which there may be a hundred thousand. */
const measureMs = 60_000;
/** How much more than the least must be free before a full volume is written to again: else it would be full again at once. */
const resumeBytes = 64 * 1024 ** 2;

/** What it works with. */
export interface ArchiverArgs {
  readonly backups: string;
  readonly database: string;
  readonly keptFile: string;
  readonly retention: number;
  readonly replica: RemoteArgs;
  readonly primary: RemoteArgs;
}

/** See the header. */
export class Archiver {
  readonly #args: ArchiverArgs;
  readonly #horizon = new Horizon();
  #source: Position | undefined;
  #following: Following | undefined;
  /** The member that was followed before, and why no longer: others are asked first. */
  #former: string | undefined;
  #primary: Connection | undefined;
  #tidied: Tidied | undefined;
  #tidiedAt = -Infinity;
  #measuredAt = -Infinity;
  #receivedBefore = 0;
  #full: string | undefined;
  #why: string | undefined;
  #failingSince = performance.now();
  #said = "";
  #beat = 0;

  constructor(args: ArchiverArgs) {
    this.#args = args;
  }

  /** Looks, and does the next thing. */
  async turn(): Promise<void> {
    try {
      this.#why = await this.#follow();
    } catch (error) {
      this.#former = this.#following?.host;
      await this.#unfollow();
      this.#why = textOf(error);
      this.#say(this.#why);
    }
    await this.#tidyNow().catch((error: unknown) => {
      this.#why ??= textOf(error);
    });
    if (this.#why === undefined) this.#failingSince = performance.now();
    await this.#tell().catch((error: unknown) => {
      this.#say(`how it fares cannot be told: ${textOf(error)}`);
      this.#primary?.destroy();
      this.#primary = undefined;
    });
  }

  async stop(): Promise<void> {
    await this.#unfollow();
    this.#primary?.destroy();
  }

  /** What is waited for; undefined where all that was wanted is there. Throws where the member cannot be followed any more. */
  async #follow(): Promise<string | undefined> {
    if (this.#full !== undefined) throw new Error(this.#full);
    const following = (this.#following ??= await this.#begin());
    const { group, hasArrived } = following;
    const why = await advance({
      following,
      horizon: this.#horizon,
      lookAtPrimary: async () => lookAt(await this.#primaryNow(), group),
      note: (arrival) => noteArrived(this.#args.backups, group, arrival),
    });
    // only now is it known what is missing
    if (hasArrived !== following.hasArrived) this.#tidiedAt = -Infinity;
    return why;
  }

  async #begin(): Promise<Following> {
    const { backups, database, primary } = this.#args;
    const source = await this.#choose();
    this.#source = source;
    const hosts = await this.#hostsFrom(source.host);
    const following = await Following.begin({ backups, database, group: source.group, hosts, remote: primary });
    this.#receivedBefore = 0;
    this.#horizon.follows(source.group);
    return following;
  }

  async #choose(): Promise<Position> {
    const { replica, primary } = this.#args;
    const [one, other] = await Promise.all([positionOf(replica), positionOf(primary)]);
    const found = better(one, other);
    if (found === undefined) throw new Error(`no member can be followed: ${"unfit" in other ? other.unfit : "?"}`);
    return found;
  }

  /** All members, that one first, and last the one that was followed without success. */
  async #hostsFrom(host: string): Promise<string[]> {
    const connection = await connectTo({ ...this.#args.primary, host });
    try {
      const all = [...new Set([host, ...(await onlineHosts(connection))])];
      return [...all.filter((one) => one !== this.#former), ...all.filter((one) => one === this.#former)];
    } finally {
      connection.destroy();
    }
  }

  async #unfollow(): Promise<void> {
    const former = this.#following;
    this.#following = undefined;
    await former?.stop();
  }

  /** A connection to whichever member is the primary now. */
  async #primaryNow(): Promise<Connection> {
    if (this.#primary !== undefined && (await isPrimary(this.#primary))) return this.#primary;
    this.#primary?.destroy();
    this.#primary = undefined;
    const found = await primaryAt(this.#args.primary);
    if (typeof found === "string") throw new Error(`the primary cannot be reached: ${found}`);
    found.on("error", () => undefined);
    this.#primary = found;
    return found;
  }

  async #tidyNow(): Promise<void> {
    if (this.#source === undefined || performance.now() - this.#tidiedAt < tidyMs) return;
    this.#tidiedAt = performance.now();
    const { backups, database, keptFile, retention } = this.#args;
    this.#source = await this.#grown(this.#source);
    const [kept, written, current] = [await keptIn(keptFile), this.#writtenSince(), this.#following?.number];
    const what = { backups, database, group: this.#source.group, current, kept, retention };
    const isSettled = this.#following?.hasArrived === true;
    this.#tidied = await tidy({ ...what, isSettled, member: this.#source, written });
    if (this.#tidied.refusal !== undefined) this.#say(this.#tidied.refusal);
    await this.#heedRoom(this.#tidied);
  }

  /** The same as it is now: data grow. */
  async #grown(source: Position): Promise<Position> {
    if (performance.now() - this.#measuredAt < measureMs) return source;
    this.#measuredAt = performance.now();
    const now = await positionOf({ ...this.#args.primary, host: this.#following?.host ?? source.host });
    return "unfit" in now || now.group !== source.group ? source : now;
  }

  /** Bytes that have come since the last look. */
  #writtenSince(): number {
    const received = this.#following?.received ?? 0;
    const written = Math.max(0, received - this.#receivedBefore);
    this.#receivedBefore = received;
    return written;
  }

  /** The next backup must find room: it makes all logs before it needless. */
  async #heedRoom({ missing }: Tidied): Promise<void> {
    const least = this.#full === undefined ? 0 : -resumeBytes;
    this.#full =
      missing > least
        ? `the backup volume lacks ${mebibytes(missing - least)} for the next backup: raise spec.backup.destination.volume.size, or take backups more often`
        : undefined;
    if (this.#full !== undefined) await this.#unfollow();
  }

  async #tell(): Promise<void> {
    const ms = performance.now() - this.#failingSince;
    const trouble = this.#why === undefined ? undefined : { why: this.#why, ms };
    const { sessions = [], bases = [], gap, foreign } = this.#tidied ?? {};
    // each time another one: the session of a program that is gone may live for long
    const note: ToldNote = { ...noteOf({ sessions, bases, gap, foreign, trouble }), beat: ++this.#beat };
    // while much is written it is behind for a moment again and again
    if (note.message !== undefined) this.#say(note.message);
    if (trouble === undefined) this.#said = "";
    const primary = await this.#primaryNow();
    await primary.query({ sql: `SET @${archiveVariable} = ?`, timeout: patienceMs, values: [JSON.stringify(note)] });
  }

  #say(why: string): void {
    if (why !== this.#said) log("binary logs wait", { why });
    this.#said = why;
  }
}

async function isPrimary(connection: Connection): Promise<boolean> {
  try {
    const [rows] = await connection.query({ sql: "SELECT @@GLOBAL.super_read_only AS closed", timeout: patienceMs });
    return JSON.stringify(rows) === '[{"closed":0}]';
  } catch {
    return false;
  }
}
