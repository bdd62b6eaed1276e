// The program of MySQL's restore drill (`agent/verify`): restores the newest backup, with the binary logs behind it where they are kept, has the server
// check all tables, and asks the queries of the Database's author.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { application } from "../../../contract/defaults";
import type { DrillQuery } from "../../../contract/verification-report";
import { exists } from "../../disk";
import { required } from "../../environment";
import { log } from "../../log";
import { DrillEnd, endOfQueries } from "../../verify/decide";
import { copyChosen, withNewest } from "../../verify/newest";
import { givenQueries } from "../../verify/queries";
import { leftOf, runDrill, step, type Drill } from "../../verify/run";
import { openBucket } from "../../object-storage/open";
import { hasLogs } from "../archive/store";
import { checksumsOf, damageIn, dataIn, manifestOf, type Manifest } from "../copies/manifest";
import { socketIn } from "../private-server";
import { restoreMargin, takeOverOptions, unfitFor } from "../copies/fit";
import type { Wish } from "../restore/readable";
import { withCopy, type CopyArgs } from "../restore/take-over";
import type { OwnServer } from "../server/connection";
import { filesOf } from "../server/options";
import { versionOfServer } from "../server/version";
import { copyNewestStored } from "../stored/drill";
import { endFindingOf, misfitOf, noLogsYet, replayFindingOf } from "./findings";
import { ask, makeReader } from "./queries";
import { replayBehind, roomBehind } from "./replay";
import { checkTables } from "./tables";

const say = (message: string): void => {
  log(message);
};

/** Runs the program. Throws where the drill did not pass. */
export async function runVerify(): Promise<void> {
  const { data } = filesOf({ volume: required("DATA_VOLUME"), runDirectory: required("RUN_DIRECTORY") });
  await runDrill({ data, log: say }, (drill) => new MysqlDrill(drill).take());
}

const isStored = (): boolean => process.env["BACKUP_STORAGE"] !== undefined;
const isReplayed = (): boolean => process.env["BINARY_LOGS"] === "kept";
const ReplayParameters = z.record(z.string(), z.string());

/** One drill. */
class MysqlDrill {
  readonly #database = required("DATABASE_NAME");
  readonly #directory = join(required("RUN_DIRECTORY"), "verify");
  /** Of the copy's superuser: no one had it before, and no one has it afterwards. */
  readonly #superuser = `Aa1-${randomBytes(24).toString("base64url")}`;
  #began = 0;

  constructor(private readonly drill: Drill) {}

  async take(): Promise<void> {
    const { progress } = this.drill;
    const queries = await givenQueries();
    const version = await versionOfServer();
    progress.stage = "the backup was copied and compared with its manifest";
    if (isStored()) this.#began = await copyNewestStored(await openBucket(), this.drill, version);
    else await this.#copyWithLogs(version);
    let doing: "start" | "read" | "ask" = "start";
    const ended = { start: "RestoreNotStarted", read: "DataDamaged", ask: "Interrupted" } as const;
    const work = async (sql: OwnServer): Promise<void> => {
      progress.recoverySeconds = Math.ceil((Date.now() - this.#began) / 1000);
      doing = "read";
      await step(this.drill, "what was restored was read", () => this.#read(sql));
      doing = "ask";
      if (queries.length === 0) return;
      await step(this.drill, "the queries of spec.backup.verify were asked", () => this.#ask(queries, sql));
    };
    await step(
      this.drill,
      "the server started with what was restored",
      () => withCopy({ ...this.#server, options: { ...takeOverOptions, skip_log_bin: "ON" } }, work),
      (error) => endFindingOf(error, ended[doing]),
    );
    const end = endOfQueries(progress.answers);
    if (end !== undefined) throw end;
  }

  get #backups(): string {
    return required("BACKUP_DIRECTORY");
  }

  async #copyWithLogs(version: string): Promise<void> {
    const manifest = await this.#copy(version);
    if (isReplayed()) await this.#replay(manifest, version);
  }

  get #server(): Omit<CopyArgs, "options"> {
    const { data, over } = this.drill;
    return { data, directory: this.#directory, superuser: this.#superuser, over, complaints: "logged" };
  }

  #copy(version: string): Promise<Manifest> {
    const { data } = this.drill;
    const shelf = { backups: this.#backups, database: this.#database };
    return withNewest(shelf, this.drill, async ({ label, from }) => {
      this.#began = Date.now();
      const manifest = await manifestOf(from);
      const contents = { manifest, isDump: await exists(join(from, "dump.sql.gz")) };
      const room =
        manifest && isReplayed() ? await roomBehind(this.#wish(label, manifest), manifest, version) : undefined;
      const copying = {
        label,
        from: dataIn(from),
        to: data,
        backups: this.#backups,
        margin: restoreMargin(0, room),
        log: say,
      };
      const unfit = unfitFor(label, contents, version);
      await copyChosen({ ...copying, unfit }, misfitOf(contents, version));
      if (manifest === undefined) throw new Error(`${label} has no manifest`);
      say("copied; verifying");
      const damage = damageIn(await checksumsOf(data), manifest);
      if (damage !== undefined) throw new DrillEnd("BackupDamaged", `${damage}: it is not what was written`);
      return manifest;
    });
  }

  /** To the end of what is there at this moment. */
  #wish(label: string, { group }: Manifest): Wish {
    return { label, group, backups: this.#backups, until: "last" };
  }

  async #replay(manifest: Manifest, version: string): Promise<void> {
    const { data, progress } = this.drill;
    const parameters = ReplayParameters.parse(JSON.parse(process.env["REPLAY_PARAMETERS"] ?? "{}"));
    const wish = this.#wish(progress.label ?? "", manifest);
    const scratch = join(dirname(data), "restoring-logs");
    const behind = { ...wish, ...this.#server, scratch, version, parameters, database: this.#database };
    const work = async (): Promise<void> => {
      const areThere = await hasLogs(this.#backups, manifest.group);
      const leftOut = areThere ? await replayBehind(behind) : noLogsYet;
      if (leftOut !== undefined) progress.omitted = [leftOut];
    };
    try {
      await step(this.drill, "the server replayed the binary logs", work, replayFindingOf);
    } finally {
      // what it took up counts where the volume is full
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async #read(sql: OwnServer): Promise<void> {
    const { progress } = this.drill;
    const omitted = await checkTables({ sql, withinMs: leftOf(this.drill), log: say });
    progress.omitted = [...progress.omitted, ...omitted];
  }

  async #ask(queries: readonly DrillQuery[], sql: OwnServer): Promise<void> {
    const reader = await makeReader(sql);
    const { database } = application;
    const args = { socket: socketIn(this.#directory), reader, database, withinMs: leftOf(this.drill), log: say };
    this.drill.progress.answers = await ask(queries, args);
  }
}
