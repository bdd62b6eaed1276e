// Takes a copy of a member's data by its CLONE, with a private server of this pod as the one that asks for it.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { escape } from "mysql2";
import { log, textOf } from "../../log";
import { runToEnd } from "../../supervise/run";
import { withPrivateServer } from "../private-server";
import type { RemoteArgs } from "../remote";
import type { Position } from "../copies/source";

/** As long as any: the Job has a deadline of its own. */
const patienceMs = 24 * 3_600_000;
const quickMs = 10_000;
const pauseMs = 5_000;
/** How long another copy of the member may take: a new member's, mostly. */
const turnMs = 30 * 60_000;

/** ER_CLONE_TOO_MANY_CONCURRENT_CLONES: a server is copied by one at a time. */
const tooMany = 3634;

/** What is copied. */
export interface Cloning {
  /** Of the member. */
  readonly position: Pick<Position, "settings">;
  readonly source: RemoteArgs;
  /** Makes room for it: called once nothing but the copy is left to do, so that a server that cannot start costs no older backup. */
  readonly makeRoom: () => Promise<void>;
  /** For the private server's own files. */
  readonly scratch?: string;
}

/** Copies to `to`, which does not exist yet. Throws what the servers say where it fails. */
export async function cloneTo(
  to: string,
  { position, source, makeRoom, scratch = "/tmp/private" }: Cloning,
): Promise<void> {
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const [data, directory] = [join(scratch, "data"), join(scratch, "run")];
  // each thread of a copy has buffers of its own
  const small = { innodb_redo_log_capacity: "8M", skip_log_bin: "ON", clone_max_concurrency: "4" };
  await runToEnd("mysqld", [
    ...["--no-defaults", "--initialize-insecure", "--skip-log-bin", "--secure-file-priv=NULL"],
    ...["--performance-schema=OFF", "--innodb-redo-log-capacity=8M", "--innodb-buffer-pool-size=32M"],
    `--datadir=${data}`,
  ]);
  const options = { ...small, ...position.settings };
  await withPrivateServer({ data, directory, password: "", options }, async (sql) => {
    await sql.query(`SET GLOBAL clone_valid_donor_list = ${escape(`${source.host}:${source.port}`)}`, quickMs);
    await makeRoom();
    const deadline = performance.now() + turnMs;
    for (;;) {
      try {
        await sql.query(cloneStatement(to, source), patienceMs);
        break;
      } catch (error) {
        if (!isTooMany(error) || performance.now() > deadline) throw error;
        log("waiting for another copy of the member to end", { why: textOf(error) });
      }
      await delay(pauseMs);
    }
  });
  await rm(scratch, { recursive: true, force: true });
}

/** The server masks the password in its logs. */
export const cloneStatement = (to: string, { host, port, user, password }: RemoteArgs): string =>
  `CLONE INSTANCE FROM ${escape(user)}@${escape(host)}:${port} IDENTIFIED BY ${escape(password)} DATA DIRECTORY = ${escape(to)} REQUIRE SSL`;

/** ER_CLONE_DISK_SPACE and ER_DISK_FULL. */
const full = new Set<unknown>([3873, 1021]);

/** Whether the volume has no room for the copy: CLONE says so before it begins, or the system while files are written; the server may end then. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (("errno" in error && full.has(error.errno)) ||
    /\bENOSPC\b|No space left on device/.test(error.message) ||
    isFull(error.cause));

const isTooMany = (error: unknown): boolean => error instanceof Error && "errno" in error && error.errno === tooMany;
