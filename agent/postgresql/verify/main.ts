// The program of the restore drill: restores the newest backup onto a volume that goes with its pod, and looks whether it is any good.
//
// It writes nothing but that volume. Whatever its end, its last word says what that means for the backup (contract/verification-report.ts).
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { application } from "../../../contract/defaults";
import { queriesFile, type DrillFinding, type DrillQuery } from "../../../contract/verification-report";
import { sayLast } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { output } from "../../restore/output";
import { roomOn } from "../../volume/room";
import { logOf } from "../log";
import { formerSettings, serverArguments, withRoom } from "../restore/decide";
import { majorOfServer } from "../restore/files";
import { placesOf, preparePlaces } from "../restore/places";
import { PrivateServer } from "../restore/private-server";
import { takeOverSettings } from "../restore/take-over";
import { openSession, socketDirectory, withSession, type Session, type SessionArgs } from "../server/connection";
import { sessionOptions } from "../server/sessions";
import { readAll } from "./checks";
import { copyNewest } from "./copy";
import { DrillEnd, endOf, endOfQueries, reportOf, startFindingOf, type Progress } from "./decide";
import { ask, queriesIn } from "./queries";
import { makeReader, prepareDatabase } from "./reader";
import { drillSettings } from "./settings";

const log = logOf("verify");
const endingMs = 5000;
const pauseMs = 200;

/** Runs the program. Throws where the drill did not pass. */
export async function verify(): Promise<void> {
  process.title = "postgresql-verify";
  const startedAt = new Date();
  const progress: Progress = {
    stage: "the drill began",
    label: undefined,
    recoverySeconds: undefined,
    answers: [],
    omitted: [],
  };
  const until = startedAt.getTime() + requiredNumber("VERIFY_SECONDS") * 1000;
  const drill = new Drill(progress, { startedAt, until });
  const end = await Promise.race([drill.take(), outOfTime(progress, until), interrupted(progress)]).then(
    () => undefined,
    (error: unknown) => endOf(error, "Interrupted", Number.POSITIVE_INFINITY),
  );
  const report = reportOf(progress, end, { startedAt, now: new Date() });
  await sayLast(JSON.stringify(report));
  await drill.clear();
  if (end !== undefined) throw new Error(`${report.verified ?? "no backup"}: ${report.verdict}: ${report.message}`);
  log(`${report.verified ?? ""}: ${report.message}`);
}

async function outOfTime(progress: Progress, until: number): Promise<never> {
  await delay(until - Date.now());
  throw new DrillEnd("OutOfTime", `the time ran out while ${progress.stage}: write more timeoutMinutes`);
}

/** The pod is told to go: it is drained, or its Job was deleted. */
function interrupted(progress: Progress): Promise<never> {
  return new Promise((_resolve, reject) => {
    process.once("SIGTERM", () => {
      reject(new DrillEnd("Interrupted", `its pod was told to stop while ${progress.stage}`));
    });
  });
}

/** One drill. */
class Drill {
  readonly #data = required("DATA_DIRECTORY");
  readonly #user = required("SUPERUSER");
  readonly #places = placesOf(this.#data, "verify");
  #server: PrivateServer | undefined;

  constructor(
    private readonly progress: Progress,
    private readonly times: { readonly startedAt: Date; readonly until: number },
  ) {}

  async take(): Promise<void> {
    const { progress } = this;
    const queries = await this.#queries();
    progress.stage = "the backup was copied and compared with its manifest";
    const places = { backups: required("BACKUP_DIRECTORY"), database: required("DATABASE_NAME"), to: this.#data };
    const asked = Number(process.env["VERIFY_VOLUME_BYTES"] ?? "") || undefined;
    const copiedMs = await copyNewest({ ...places, asked, progress, log });
    progress.stage = "the server replayed its WAL";
    const copied = Date.now();
    await this.#step(
      () => this.#start(),
      () => startFindingOf(`${this.#server?.said ?? ""} ${this.#server?.end ?? ""}`),
    );
    progress.recoverySeconds = Math.ceil((copiedMs + Date.now() - copied) / 1000);
    progress.stage = "what was restored was read";
    await this.#step(() => this.#read());
    if (queries.length === 0) return;
    progress.stage = "the queries of spec.backup.verify were asked";
    await this.#step(() => this.#ask(queries));
    const end = endOfQueries(progress.answers);
    if (end !== undefined) throw end;
  }

  /** Leaves nothing: the pod, and with it the volume, may be there for a while. */
  async clear(): Promise<void> {
    await this.#server?.abandon();
    await rm(this.#data, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }

  async #queries(): Promise<readonly DrillQuery[]> {
    const text = await readFile(join(required("QUERIES_DIRECTORY"), queriesFile), "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "[]";
      throw error;
    });
    return queriesIn(text);
  }

  async #step(work: () => Promise<void>, otherwise: () => DrillFinding = () => "Interrupted"): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw endOf(error, otherwise(), (await roomOn(dirname(this.#data))).free);
    }
  }

  get #superuser(): SessionArgs {
    return { host: socketDirectory, user: this.#user, program: "verify", settings: takeOverSettings };
  }

  async #start(): Promise<void> {
    await preparePlaces(this.#places, this.#user);
    const control = await output("pg_controldata", ["--pgdata", this.#data]);
    const settings = { ...withRoom(formerSettings(control)), ...drillSettings(control, await majorOfServer()) };
    log("replaying its WAL");
    this.#server = new PrivateServer(serverArguments(this.#places, settings));
    (await this.#server.session(this.#superuser)).close();
  }

  async #read(): Promise<void> {
    // of programs that connect by themselves, whatever users set for the superuser's sessions
    process.env["PGOPTIONS"] = sessionOptions(takeOverSettings);
    const open = (database: string): Promise<Session> => openSession({ ...this.#superuser, database });
    const args = { host: socketDirectory, user: this.#user, log, open, isAlive: () => this.#isAlive() };
    this.progress.omitted = await withSession(this.#superuser, (session) => readAll({ session, ...args }));
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

  /** Before the first of them nobody but the reader gets in. */
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
    const withinMs = Math.max(1000, this.times.until - Date.now());
    this.progress.answers = await ask(queries, { host: socketDirectory, user: reader, database, withinMs, log });
  }
}
