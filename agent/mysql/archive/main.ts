// The program that keeps the binary logs: it copies what a member writes onto the backup volume as it is written, so that a backup can be restored to
// any moment after it, and tells the primary how that fares.
import { mkdir, readdir, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mysql2/promise";
import { archiveVariable, type ArchiveNote } from "../../../contract/archive-note";
import { required, requiredNumber } from "../../environment";
import { withLock } from "../../lock";
import { log, textOf } from "../../log";
import { mebibytes } from "../../restore/decide";
import { roomOn } from "../../volume/room";
import { better, positionOf, type Position } from "../backup/source";
import { primaryAt, type RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";
import { backupsIn } from "../backup/retention";
import { basesOf, keptIn } from "./bases";
import type { Base, KeptLog } from "./decide";
import { Following } from "./following";
import { horizonOf } from "./member";
import { noteOf } from "./note";
import { groupDirectory, logsIn, logsLock, noteArrived, sessionsOf, writerLock, type StoredSession } from "./store";
import { givingWay, missingBytes, remove, repeated, unneeded, type Volume } from "./tidy";

const pauseMs = 2_000;
/** How often what is there is looked through. */
const tidyMs = 15_000;
const patienceMs = 5_000;
/** How much more than the least must be free before a full volume is written to again: else it would be full again at once. */
const resumeBytes = 64 * 1024 ** 2;

/** What it works with. */
interface ArchiverArgs {
  readonly backups: string;
  readonly database: string;
  readonly keptFile: string;
  readonly replica: RemoteArgs;
  readonly primary: RemoteArgs;
}

/** Runs the program until the pod ends. */
export async function runArchive(): Promise<void> {
  const remoteAt = (host: string): RemoteArgs => ({
    host,
    port: requiredNumber("SERVER_PORT"),
    user: replicationUser,
    password: required("REPLICATION_PASSWORD"),
  });
  const backups = required("BACKUP_DIRECTORY");
  const archiver = new Archiver({
    backups,
    database: required("DATABASE_NAME"),
    keptFile: required("KEPT_FILE"),
    replica: remoteAt(required("REPLICA_HOST")),
    primary: remoteAt(required("PRIMARY_HOST")),
  });
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      stop.abort();
    });
  await mkdir(logsIn(backups), { recursive: true });
  // the pod that is deleted still writes while its successor starts, and each would cut off what the other one is writing
  await withLock(writerLock(backups), {}, async () => {
    while (!stop.signal.aborted) {
      await archiver.turn();
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    await archiver.stop();
  });
}

/** See the header. */
class Archiver {
  readonly #args: ArchiverArgs;
  #source: Position | undefined;
  #following: Following | undefined;
  #primary: Connection | undefined;
  #sessions: readonly StoredSession[] = [];
  #bases: readonly Base[] = [];
  #tidiedAt = -Infinity;
  #full: string | undefined;
  #why: string | undefined;
  #failingSince = 0;
  #said = "";

  constructor(args: ArchiverArgs) {
    this.#args = args;
  }

  /** Looks, and does the next thing. */
  async turn(): Promise<void> {
    try {
      const isThere = await this.#follow();
      this.#why = isThere ? undefined : (this.#why ?? "it has not caught up yet");
    } catch (error) {
      await this.#unfollow();
      this.#why = textOf(error);
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

  /** Whether all that the primary has written is there. */
  async #follow(): Promise<boolean> {
    const { backups, database } = this.#args;
    if (this.#full !== undefined) throw new Error(this.#full);
    if (this.#following === undefined) {
      const source = await this.#choose();
      this.#source = source;
      const remote = { ...this.#args.primary, host: source.host };
      this.#following = await Following.begin({ backups, database, source, remote });
      this.#tidiedAt = -Infinity;
    }
    const { group } = this.#following;
    const horizon = await horizonOf(await this.#primaryNow(), group);
    const isThere = await this.#following.look(horizon);
    if (isThere) await noteArrived(backups, group, horizon.now);
    return isThere;
  }

  async #choose(): Promise<Position> {
    const { replica, primary } = this.#args;
    const [one, other] = await Promise.all([positionOf(replica), positionOf(primary)]);
    const found = better(one, other);
    if (found === undefined) throw new Error(`no member can be followed: ${"unfit" in other ? other.unfit : "?"}`);
    return found;
  }

  async #unfollow(): Promise<void> {
    const former = this.#following;
    this.#following = undefined;
    await former?.stop();
  }

  /** A connection to whoever is the primary now. */
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
    const { backups, database, keptFile } = this.#args;
    const source = this.#source;
    if (source === undefined || performance.now() - this.#tidiedAt < tidyMs) return;
    this.#tidiedAt = performance.now();
    const { group } = source;
    const sessions = await sessionsOf(backups, group);
    const bases = await basesOf(backups, database, group);
    const volume = { bases, kept: await keptIn(keptFile) };
    const { free } = await roomOn(backups);
    const missing = missingBytes({ ...volume, free, member: source });
    const twice = new Set(repeated(sessions).map(([session, name]) => `${session} ${name}`));
    const doomed = new Set<KeptLog>([
      ...sessions.flatMap((session) => unneeded(session, volume)),
      ...sessions.flatMap(({ number, logs }) => logs.filter(({ name }) => twice.has(`${number} ${name}`))),
      ...givingWay(sessions, volume, missing),
    ]);
    await withLock(logsLock(backups), { refusal: "a restore reads the binary logs" }, async () => {
      await remove(sessions, doomed, this.#following?.number);
      await this.#forgetOthers(group);
    }).catch((error: unknown) => {
      this.#say(textOf(error));
    });
    for (const { name } of doomed) log("removed", { name });
    this.#sessions = await sessionsOf(backups, group);
    this.#bases = bases;
    await this.#heedRoom(volume, source);
  }

  /** Logs of a group that the volume's Database was before it was restored in place go with its last backup: until then a second try needs them. */
  async #forgetOthers(group: string): Promise<void> {
    const { backups, database } = this.#args;
    const backedUp = new Set((await backupsIn(backups, database)).map((backup) => backup.group));
    for (const other of await readdir(logsIn(backups))) {
      if (other === group || other.startsWith(".") || backedUp.has(other)) continue;
      log("the binary logs of a former group are removed", { group: other });
      await rm(groupDirectory(backups, other), { recursive: true, force: true });
    }
  }

  /** The next backup must find room: it makes all logs before it needless. */
  async #heedRoom(volume: Volume, member: Position): Promise<void> {
    const { free } = await roomOn(this.#args.backups);
    const missing = missingBytes({ ...volume, free, member });
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
    if (trouble !== undefined) this.#say(trouble.why);
    else this.#said = "";
    const note: ArchiveNote = noteOf({ sessions: this.#sessions, bases: this.#bases, trouble });
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
