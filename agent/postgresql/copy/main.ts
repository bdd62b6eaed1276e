// Copies the data for a new member: pg_basebackup as Patroni calls it, but from a replica that keeps up, where there is one.
//
// Patroni names the primary, which serves clients and should not read all of its data for a newcomer as well. It could choose a replica by
// itself, but takes any that runs: two that can no longer follow would copy each other forever. Where the copy from a replica fails, it is
// taken from the primary.
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { textOf } from "../../log";
import { logOf, type Log } from "../log";
import { PatroniClient } from "../patroni/client";
import { BaseBackup } from "./base-backup";
import { rateFor, replicaThatKeepsUp, settingsOf, sourceSettings, targetIn, withSettings, type Source } from "./decide";

/** Runs the program, with the arguments of pg_basebackup. */
export async function copyData(): Promise<void> {
  process.title = "postgresql-copy";
  const copy = new BaseBackup();
  process.on("SIGTERM", () => {
    copy.stop();
  });
  const args = process.argv.slice(3);
  const { blocks, frsize } = await statfs(dirname(targetIn(args)));
  const rated = [...args, `--max-rate=${Math.floor(rateFor(blocks * frsize) / 1024)}`];
  const log = logOf("copy");
  if (!(await copyFrom(await replica(log), copy, rated, log))) process.exitCode = 1;
}

/** Patroni hands on none of its own variables; members have the names of their pods. */
async function replica(log: Log): Promise<Source | undefined> {
  try {
    return replicaThatKeepsUp(await new PatroniClient().cluster(), hostname());
  } catch (error) {
    // such as a Patroni that has not seen the others yet
    log(`cannot tell which replicas keep up: ${textOf(error)}`);
    return undefined;
  }
}

async function copyFrom(
  source: Source | undefined,
  copy: BaseBackup,
  args: readonly string[],
  log: Log,
): Promise<boolean> {
  if (source !== undefined && !copy.isStopped()) {
    log(`copying the data of ${source.name}, a replica, so that the primary is spared`);
    if (await copy.run(withSettings(args, settingsOf(source)))) return true;
    if (!copy.isStopped()) log(`the copy from ${source.name} failed`);
  }
  if (copy.isStopped()) return false;
  log("copying the data of the primary");
  return copy.run(withSettings(args, sourceSettings));
}
