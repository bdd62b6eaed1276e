// The files of a PostgreSQL backup: of which version they are, and what is checked and removed once they are copied.
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { output } from "../../restore/output";
import type { Log } from "../log";
import { leftOut } from "./decide";

/** The major version that files are of; undefined where they do not say. */
export const majorOf = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, "PG_VERSION"), "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );

/** That of the server of this image. */
export const majorOfServer = async (): Promise<string> =>
  /\d+/.exec(await output("postgres", ["--version"]))?.[0] ?? "";

/**
 * Throws where data that are in place are not for the server of this image: they were put there before another major version was asked for,
 * and a server of that one does not start with them.
 */
export async function requireOwnMajor(data: string): Promise<void> {
  const major = await majorOf(data);
  if (major === undefined) return;
  const server = await majorOfServer();
  if (major !== server)
    throw new Error(
      `the data in place are of PostgreSQL ${major}, and the image of PostgreSQL ${server}: write a version of ${major}, and another one once the Database is ready`,
    );
}

/**
 * Compares the copy with what the server sent when the backup was taken. `program`: that of the version which took it, as others do not read
 * its WAL. Default: that of this image's server.
 */
export async function verifyCopy(copy: string, log: Log, program = "pg_verifybackup"): Promise<void> {
  await chmod(copy, 0o700);
  log("copied; verifying");
  await output(program, ["--quiet", copy]);
  for (const name of leftOut) await rm(join(copy, name), { force: true });
}
