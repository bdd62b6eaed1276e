// The program of PostgreSQL's restore drill (`agent/verify`): restores the newest backup, with the WAL behind it where that is kept, reads all of it,
// and asks the queries of the Database's author.
import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { application } from "../../../contract/defaults";
import type { DrillQuery } from "../../../contract/verification-report";
import { required } from "../../environment";
import { output } from "../../restore/output";
import { endOfQueries } from "../../verify/decide";
import { givenQueries } from "../../verify/queries";
import { leftOf, runDrill, step, type Drill } from "../../verify/run";
import { logOf } from "../log";
import { formerSettings, serverArguments, withRoom } from "../restore/decide";
import { majorOfServer } from "../restore/files";
import type { ArrivedLate } from "../restore/hole";
import { placesOf, preparePlaces } from "../restore/places";
import { PrivateServer } from "../restore/private-server";
import { sessionAfter } from "../restore/recovered";
import type { Recovery } from "../restore/replaying";
import { takeOverSettings } from "../restore/take-over";
import { openSession, socketDirectory, withSession, type Session, type SessionArgs } from "../server/connection";
import { sessionOptions } from "../server/sessions";
import { readAll } from "./checks";
import { copyFromStorage, copyFromVolume, type Copied } from "./copy";
import { recoveryFindingOf } from "./decide";
import { lateIn, onceMoreWhereLate } from "./late";
import { ask } from "./queries";
import { makeReader, prepareDatabase } from "./reader";
import { drillSettings } from "./settings";

const log = logOf("verify");
const endingMs = 5000;
const pauseMs = 200;

/** Runs the program. Throws where the drill did not pass. */
export async function verify(): Promise<void> {
  process.title = "postgresql-verify";
  await runDrill({ data: required("DATA_DIRECTORY"), log }, (drill) => new PostgresqlDrill(drill).take());
}

/** One drill. */
class PostgresqlDrill {
  readonly #user = required("SUPERUSER");
  readonly #places;
  #server: PrivateServer | undefined;

  constructor(private readonly drill: Drill) {
    this.#places = placesOf(drill.data, "verify");
  }

  async take(): Promise<void> {
    const { progress } = this.drill;
    const queries = await givenQueries();
    await onceMoreWhereLate(
      (isLast) => this.#restore(isLast),
      (late) => this.#makeWay(late),
    );
    await step(this.drill, "what was restored was read", () => this.#read());
    if (queries.length === 0) return;
    await step(this.drill, "the queries of spec.backup.verify were asked", () => this.#ask(queries));
    const end = endOfQueries(progress.answers);
    if (end !== undefined) throw end;
  }

  /** `isLast`: whether WAL that was late ends it, too. Returns that some was, else. */
  async #restore(isLast: boolean): Promise<ArrivedLate | undefined> {
    const { progress } = this.drill;
    progress.stage = "the backup was copied and compared with its manifest";
    const { milliseconds, recovery } = await this.#copy();
    const copied = Date.now();
    const late = await step(
      this.drill,
      "the server replayed its WAL",
      () => lateIn(this.#start(recovery), isLast),
      (error) => recoveryFindingOf(error, this.#server),
    );
    progress.recoverySeconds = Math.ceil((milliseconds + Date.now() - copied) / 1000);
    return late;
  }

  async #makeWay({ message }: ArrivedLate): Promise<void> {
    log(message);
    // whatever its end, nothing of it is needed
    await this.#server?.stop().catch(() => undefined);
    this.#server = undefined;
  }

  #copy(): Promise<Copied> {
    const repository = process.env["BACKUP_REPOSITORY"];
    return repository === undefined
      ? copyFromVolume({ backups: required("BACKUP_DIRECTORY"), database: required("DATABASE_NAME") }, this.drill)
      : copyFromStorage({ repository, location: required("BACKUP_LOCATION") }, this.drill);
  }

  get #superuser(): SessionArgs {
    return { host: socketDirectory, user: this.#user, program: "verify", settings: takeOverSettings };
  }

  async #start(recovery: Recovery | undefined): Promise<void> {
    await preparePlaces(this.#places, this.#user);
    const control = await output("pg_controldata", ["--pgdata", this.drill.data]);
    const settings = {
      ...withRoom(formerSettings(control)),
      ...drillSettings(control, await majorOfServer()),
      ...recovery?.settings,
    };
    log("replaying its WAL");
    const server = new PrivateServer(serverArguments(this.#places, settings), "postgres", recovery?.environment);
    this.#server = server;
    this.drill.onceOver(() => server.abandon());
    (await sessionAfter(server, this.#superuser, recovery)).close();
  }

  async #read(): Promise<void> {
    // of programs that connect by themselves, whatever users set for the superuser's sessions
    process.env["PGOPTIONS"] = sessionOptions(takeOverSettings);
    const open = (database: string): Promise<Session> => openSession({ ...this.#superuser, database });
    const args = { host: socketDirectory, user: this.#user, log, open, isAlive: () => this.#isAlive() };
    const { progress } = this.drill;
    const omitted = await withSession(this.#superuser, (session) => readAll({ session, ...args }));
    progress.omitted = [...progress.omitted, ...omitted];
  }

  /** A server of which a process was killed takes a while to end. */
  async #isAlive(): Promise<boolean> {
    const until = Date.now() + endingMs;
    while (this.#server?.end === undefined && Date.now() < until) await delay(pauseMs);
    if (this.#server?.end !== undefined) return false;
    return withSession({ ...this.#superuser, withinMs: endingMs }, (session) => session.rows("SELECT 1")).then(
      () => true,
      () => false,
    );
  }

  /** Before the first of them no one but the reader gets in. */
  async #ask(queries: readonly DrillQuery[]): Promise<void> {
    const { database } = application;
    const inDatabase = await openSession({ ...this.#superuser, database });
    await prepareDatabase(inDatabase, database);
    inDatabase.close();
    const reader = await withSession(this.#superuser, async (session) => {
      const name = await makeReader(session, database);
      await writeFile(this.#places.hostBasedAuthentication, `local ${database} ${name} trust\n`);
      await session.run("SELECT pg_reload_conf()");
      return name;
    });
    const args = { host: socketDirectory, user: reader, database, withinMs: leftOf(this.drill), log };
    this.drill.progress.answers = await ask(queries, args);
  }
}
