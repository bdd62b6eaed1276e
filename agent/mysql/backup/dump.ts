// Takes a dump with mysqldump: consistent, compressed on the way, and complete or an error.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { once } from "node:events";
import { createGunzip, createGzip } from "node:zlib";
import { cleanEnvironment } from "../../supervise/run";
import type { RemoteArgs } from "../remote";
import { watchLocks } from "./lock-watch";
import { ownSession } from "../sessions";

/** What a dump contains. */
export interface Dump {
  readonly bytes: number;
  readonly sha256: string;
}

/** The last line of a dump that is complete. */
const trailer = /^-- Dump completed/m;

/**
 * Options of mysqldump: one consistent view of tables, routines, events and triggers, without a lock. With sets of transactions in it
 * mysqldump would lock all tables for a moment, which is long behind a long query; and a running group could not read it.
 */
const options = [
  ...["--single-transaction", "--quick", "--routines", "--events", "--triggers", "--hex-blob"],
  ...["--set-gtid-purged=OFF", "--no-tablespaces", "--default-character-set=utf8mb4"],
  // a row may be as large as the server accepts
  "--max-allowed-packet=1G",
  `--init-command=${ownSession}`,
];

/** What goes into a dump. */
export interface Contents {
  readonly databases: readonly string[];
  /** As `database.view`. */
  readonly without: readonly string[];
}

/** Writes databases of a member to `file`. Throws where the dump is incomplete, or blocked others; the password is in no argument. */
export async function dumpTo(file: string, source: RemoteArgs, { databases, without }: Contents): Promise<Dump> {
  const secret = join("/tmp", `client-${process.pid}.cnf`);
  await writeFile(secret, clientFile(source), { mode: 0o600 });
  try {
    const args = [`--defaults-file=${secret}`, ...options, ...without.map((view) => `--ignore-table=${view}`)];
    await writeDump(file, source, [...args, "--databases", ...databases]);
  } finally {
    await rm(secret, { force: true });
  }
  return verify(file);
}

/** Runs mysqldump, which must not block others for long. */
async function writeDump(file: string, source: RemoteArgs, args: readonly string[]): Promise<void> {
  const child = spawn("mysqldump", args, { stdio: ["ignore", "pipe", "pipe"], env: cleanEnvironment() });
  const over = new AbortController();
  const watching = watchLocks(source, over.signal).then((held) => {
    // at once: it may be busy with what it has, or hang
    if (held !== undefined) child.kill("SIGKILL");
    return held;
  });
  try {
    const [problem] = await Promise.all([complaintOf(child), compress(child.stdout, file)]);
    over.abort();
    const ended = await watching;
    if (problem !== undefined) throw ended ?? new Error(problem);
  } finally {
    over.abort();
    child.kill("SIGKILL");
  }
}

/** Passes on what mysqldump prints; once it has ended, why it failed. */
async function complaintOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string | undefined> {
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    said = (said + chunk.toString()).slice(-4_096);
  });
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? undefined : meaningOf(said);
}

/** What mysqldump prints where a table has changed since the dump began, with its name. */
const changes: readonly RegExp[] = [
  /Error 1412: .*when dumping table `([^`]+)`/,
  /Error in field count for table: `([^`]+)`/,
  /Couldn't execute '.*`([^`]+)`': (?:Table definition has changed|Deadlock found|Table '.*' doesn't exist)/,
];

/** What the message of a mysqldump that failed means for a person. */
export function meaningOf(said: string): string {
  const table = changes.map((pattern) => pattern.exec(said)?.[1]).find((name) => name !== undefined);
  if (table === undefined) return "mysqldump failed: see its message above";
  return `the table ${table} was changed after the dump began, so its content at that time can no longer be read: another attempt reads it again`;
}

function compress(from: Readable, file: string): Promise<void> {
  return pipeline(from, createGzip({ level: 4 }), createWriteStream(file, { mode: 0o600, flush: true }));
}

/** An option file of the client; in its strings a backslash begins an escape. */
export function clientFile({ host, port, user, password }: RemoteArgs): string {
  const quoted = `"${password.replaceAll("\\", "\\\\").replaceAll('"', String.raw`\"`)}"`;
  return `[client]\nhost=${host}\nport=${port}\nuser=${user}\npassword=${quoted}\nssl-mode=REQUIRED\n`;
}

/** Reads the whole file back: it must decompress, and end as a complete dump does. Throws where it does not. */
export async function verify(file: string): Promise<Dump> {
  const hash = createHash("sha256");
  let bytes = 0;
  let tail = "";
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(file), count, createGunzip(), async (text: AsyncIterable<Buffer>) => {
    for await (const chunk of text) tail = (tail + chunk.toString("latin1")).slice(-400);
  });
  if (!trailer.test(tail)) throw new Error("the dump is not complete: its last line is missing");
  return { bytes, sha256: hash.digest("hex") };
}
