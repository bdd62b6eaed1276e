// The copy of a backup in object storage: pgBackRest brings it, and the server that finishes it gets the WAL behind it from there.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../../../contract/object-storage";
import { exists } from "../../disk";
import { textOf } from "../../log";
import { output } from "../../restore/output";
import { roomOn } from "../../volume/room";
import { clustersIn, type Backup, type ClusterBackups } from "../backup/catalogue";
import { PgBackRest, storageKeys } from "../backup/pgbackrest";
import type { Log } from "../log";
import { choiceAmong, type Choice, type Wish } from "./choice";
import { saysDamage } from "./damage";
import { leftOut } from "./decide";
import { majorOfServer } from "./files";
import { places } from "./recovery";
import { recoveryFrom, type Recovery, type Replayed } from "./replaying";

const files = { settings: join(scratchDirectory, "source.conf"), missing: join(scratchDirectory, "missing") };

/** Fills `copy`, and says how its WAL is replayed. `repository`: pgBackRest's settings. */
export async function copyStored(
  { repository, wish }: { readonly repository: string; readonly wish: Wish },
  copy: string,
  log: Log,
): Promise<Recovery> {
  await begin(repository);
  const { cluster, backup, older } = await choose(wish, copy);
  const copied = await firstWhole([backup, ...older], log, async ({ label }) => {
    log(`copying ${label} of cluster ${cluster} from ${wish.location}`);
    await copyOne({ cluster, label }, copy);
  });
  await makeRecoverable(copy);
  return recoveryOf(wish, { cluster, backup: copied }, log);
}

/** Lets pgBackRest know where to read, by its settings, and that nothing was missing yet. */
export async function begin(repository: string): Promise<void> {
  await mkdir(scratchDirectory, { recursive: true, mode: 0o700 });
  await writeFile(files.settings, repository);
  await rm(files.missing, { force: true });
}

/** What lies there. `cluster`: undefined for all. */
export const storedClusters = async (cluster?: string): Promise<readonly ClusterBackups[]> =>
  clustersIn(await new PgBackRest(cluster, files.settings).run("info", ["--output=json"]));

/** Copies the files of one backup, and what an attempt has left of them is continued. */
export async function copyOne({ cluster, label }: { cluster: string; label: string }, copy: string): Promise<void> {
  const isBegun = await prepare(copy);
  const options = [`--pg1-path=${copy}`, "--type=none", `--set=${label}`, ...(isBegun ? ["--delta"] : [])];
  await new PgBackRest(cluster, files.settings).run("restore", options);
}

/** Has a server replay WAL onto it from elsewhere. */
export async function makeRecoverable(copy: string): Promise<void> {
  for (const name of leftOut) await rm(join(copy, name), { force: true });
  await writeFile(join(copy, "recovery.signal"), "");
}

/** Copies the first of them whose files are not damaged, and returns it. Throws what the first one failed of where none is. */
export async function firstWhole(
  backups: readonly Backup[],
  log: Log,
  copyOne: (backup: Backup) => Promise<void>,
): Promise<Backup> {
  let first: unknown;
  for (const backup of backups)
    try {
      await copyOne(backup);
      return backup;
    } catch (error) {
      if (!saysDamage(textOf(error))) throw error;
      first ??= error;
      log(`${backup.label} is damaged; its WAL leads from an older one as well, where there is one: ${textOf(error)}`);
    }
  throw first;
}

/** Whether there is what an attempt left that was cut off, so that only what differs is copied. */
async function prepare(copy: string): Promise<boolean> {
  const found = await Promise.all(["PG_VERSION", "backup.manifest"].map((name) => exists(join(copy, name))));
  const isBegun = found.includes(true);
  // without one of them pgBackRest takes the directory for another's
  if (!isBegun) await rm(copy, { recursive: true, force: true });
  // of a server that ended with its container
  await rm(join(copy, "postmaster.pid"), { force: true });
  await mkdir(copy, { recursive: true, mode: 0o700 });
  return isBegun;
}

async function choose(wish: Wish, copy: string): Promise<Choice> {
  const clusters = await storedClusters(wish.cluster);
  const { free } = await roomOn(dirname(copy));
  const left = Number((await output("du", ["--summarize", "--block-size=1", copy]).catch(() => "0")).split("\t")[0]);
  return choiceAmong(clusters, wish, { serverMajor: await majorOfServer(), free: free + left });
}

/** How the WAL behind it is replayed. */
export async function recoveryOf(
  replayed: Replayed,
  { cluster, backup }: Omit<Choice, "older">,
  log: Log,
): Promise<Recovery> {
  const storage = new PgBackRest(cluster, files.settings);
  const source = {
    command: `pgbackrest-fetch ${files.settings} ${cluster} ${files.missing} "%f" "%p"`,
    environment: await storageKeys(files.settings),
    missing: files.missing,
    first: backup.firstSegment,
    place: places.storage,
    archived: () => storage.archived(),
  };
  return recoveryFrom(replayed, source, log);
}
