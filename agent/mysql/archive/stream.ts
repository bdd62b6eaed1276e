// mysqlbinlog, which copies what a member writes to its binary logs, as it is written.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cleanEnvironment } from "../../supervise/run";
import type { RemoteArgs } from "../remote";

/** As a replica it has a number: one that no member has, and for which a member ends an earlier stream of the same. */
const serverId = 4_294_967_000;
const longestComplaint = 400;

/** See the header. */
export class Stream {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #complaint = "";
  #end: string | undefined;

  /** Into files of the same names in `directory`, from the beginning of `first` on. */
  constructor(directory: string, first: string, { host, port, user, password }: RemoteArgs) {
    const args = [
      ...["--no-defaults", "--read-from-remote-server", "--raw", "--stop-never", `--connection-server-id=${serverId}`],
      ...[`--host=${host}`, `--port=${port}`, `--user=${user}`, "--ssl-mode=REQUIRED", first],
    ];
    const env = cleanEnvironment({ MYSQL_PWD: password });
    const child = spawn("mysqlbinlog", args, { cwd: directory, stdio: ["ignore", "ignore", "pipe"], env });
    this.#child = child;
    this.#closed = once(child, "close").catch(() => undefined);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = `${this.#complaint}${text}`.slice(-longestComplaint);
    });
    child.once("error", ({ message }) => {
      this.#end = message;
    });
    child.once("exit", (code, signal) => {
      this.#end ??= String(code ?? signal ?? "?");
    });
  }

  /** Why it has ended; undefined while it runs. */
  get end(): string | undefined {
    if (this.#end === undefined) return undefined;
    const [line = ""] = this.#complaint.trim().split("\n").slice(-1);
    return `mysqlbinlog ended (${this.#end})${line === "" ? "" : `: ${line}`}`;
  }

  /** Ends it, and resolves when it writes no more. */
  async stop(): Promise<void> {
    if (this.#end === undefined) this.#child.kill("SIGKILL");
    await this.#closed;
  }
}
