// The copy of a backup on the data volume: beside the place where members look until it is complete.
import { spawn } from "node:child_process";
import { chmod, readFile, rm, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncToDisk } from "../../disk";
import { textOf } from "../../log";
import { roomOn } from "../../volume/room";
import type { Log } from "../log";
import { leftOut } from "./decide";

const progressMs = 30_000;

/** The major version that files are of; undefined where they do not say. */
export const majorOf = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, "PG_VERSION"), "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );

/** Runs a program and returns what it printed. Throws, with what it complained of, where it fails. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    return text;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [code, [printed = "", complaint = ""]] = await Promise.all([ended, Promise.all(texts)]);
  if (code !== 0) throw new Error(`${command} failed: ${textOf(complaint === "" ? printed : complaint)}`);
  return printed;
}

/** Copies a backup of so many bytes, and compares the copy with what the server sent when it was taken. */
export async function copyBackup(from: string, to: string, bytes: number, log: Log): Promise<void> {
  const { free: before } = await roomOn(dirname(to));
  const progress = setInterval(() => {
    roomOn(dirname(to)).then(
      ({ free }) => {
        log(`copied ${Math.min(99, Math.floor((100 * Math.max(0, before - free)) / Math.max(1, bytes)))} %`);
      },
      () => undefined,
    );
  }, progressMs);
  try {
    await output("cp", ["--archive", "--reflink=auto", from, to]);
  } finally {
    clearInterval(progress);
  }
  await chmod(to, 0o700);
  log("copied; verifying");
  await output("pg_verifybackup", ["--quiet", to]);
  for (const name of leftOut) await rm(join(to, name), { force: true });
}

/** Puts the files where members look, once all of them are on disk. */
export async function putInPlace(from: string, to: string): Promise<void> {
  await output("sync", ["--file-system", from]);
  await rename(from, to);
  await syncToDisk(dirname(to));
}
