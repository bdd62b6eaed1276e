// One stream of WAL: PostgreSQL's own program receives it, and follows the primary's timelines, until the connection ends.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { sessionOptions } from "../server/sessions";
import { textOf } from "../../log";
import { archiveProgram } from "./names";
import type { PrimaryArgs } from "./primary";

/** How much of what it says is remembered. */
const mostRemembered = 4_096;

/** A connection of which nothing is heard is given up: its server may be gone with its node. */
const connection =
  "connect_timeout=10 keepalives_idle=10 keepalives_interval=5 keepalives_count=3 tcp_user_timeout=20000";

/** The backup volume may stall; members have less patience with each other. */
const settings = { wal_sender_timeout: "20s" };

/** The primary has not the WAL any more that was asked for. */
export const isRemoved = (said: string): boolean => /requested WAL segment \S+ has already been removed/.test(said);

/**
 * See the header. What it says of itself has no position up to which all is on disk: with one a primary that waits for any member takes it for one
 * (`synchronous_standby_names = '*'`), and acknowledges what no member has. So it has no slot of its own, and does not write through.
 */
export class Receiver {
  /** What the primary calls it: that of a program that is gone may still be there. */
  readonly name = `${archiveProgram}-${randomBytes(4).toString("hex")}`;
  readonly #child: ChildProcess;
  #said = "";
  #end: string | undefined;

  /** `directory`: what is in it says where to begin. */
  constructor(directory: string, { host, port, user, password }: PrimaryArgs) {
    const target = `host=${host} port=${port} user=${user} application_name=${this.name} ${connection}`;
    const args = ["--directory", directory, "--dbname", target];
    const child = spawn("pg_receivewal", [...args, "--no-loop", "--no-password", "--status-interval", "1"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, LC_ALL: "C", PGPASSWORD: password, PGOPTIONS: sessionOptions(settings) },
    });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-mostRemembered);
    });
    child.once("error", (error) => {
      this.#end = textOf(error);
    });
    // by then all that it said has been read
    child.once("close", (code, signal) => {
      this.#end ??= this.#said.trim() === "" ? `pg_receivewal ended with ${code ?? signal ?? "?"}` : this.#said.trim();
    });
  }

  /** What it said, where it has ended. */
  get end(): string | undefined {
    return this.#end;
  }

  async stop(): Promise<void> {
    if (this.#end !== undefined) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGINT");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await closed;
    clearTimeout(late);
  }
}
