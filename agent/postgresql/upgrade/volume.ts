// The volume of member 0 during a major upgrade: what is where on it, and how files take the place of others.
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncToDisk } from "../../disk";
import type { Log } from "../log";
import { majorOf } from "../restore/files";
import { Exchange, type Found, reversed, type Step } from "./plan";

/** Where things are, from the directory where members look for their files. */
export interface Places {
  readonly volume: string;
  readonly data: string;
  /** All that goes when the program begins again. */
  readonly work: string;
  /** In it: a copy of the former files, and what it is converted to. */
  readonly former: string;
  readonly converted: string;
  readonly note: string;
}

/** See the interface. */
export function placesOn(data: string): Places {
  const volume = dirname(data);
  const work = join(volume, "upgrading");
  return {
    ...{ volume, data, work },
    former: join(work, "former"),
    converted: join(work, "data"),
    note: join(volume, ".exchange"),
  };
}

/** Where files of a major version are kept beside those that are used. */
export const keptAt = (data: string, major: string): string => `${data}-${major}`;

/** What there is. */
export async function lookAt({ volume, data, note }: Places): Promise<Found> {
  const prefix = `${basename(data)}-`;
  const names = await readdir(volume);
  const kept = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const [major, exchange] = [await majorOf(data), await readExchange(note)];
  const left = exchange?.from;
  const place = left === undefined || left === major ? data : keptAt(data, left);
  const checkpoint = left === undefined ? undefined : await checkpointOf(place).catch(() => undefined);
  return { data: major, kept: kept.sort(), exchange, checkpoint };
}

async function readExchange(note: string): Promise<Exchange | undefined> {
  const text = await readFile(note, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : Exchange.parse(JSON.parse(text));
}

/** Writes it, whole or not at all. */
export async function noteExchange(
  { note, volume }: Pick<Places, "note" | "volume">,
  exchange: Exchange,
): Promise<void> {
  const draft = `${note}.draft`;
  const file = await open(draft, "w");
  try {
    await file.writeFile(JSON.stringify(exchange));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, note);
  await syncToDisk(volume);
}

/** The identifier of the cluster of which a directory has the files, whatever their version: the first eight bytes of pg_control. */
export const identifierOf = (directory: string): Promise<string> => controlAt(directory, 0);

/** Position of their last checkpoint in the WAL, in bytes, of which a server that starts makes another one: it is behind a version of the file and a time. */
export const checkpointOf = (directory: string): Promise<string> => controlAt(directory, 32);

const controlAt = async (directory: string, offset: number): Promise<string> =>
  (await readFile(join(directory, "global", "pg_control"))).readBigUInt64LE(offset).toString();

/** Has files take the place of others, as is planned. What it was cut off from, the next attempt does. */
export async function exchange(
  places: Places,
  { aside, place }: Extract<Step, { kind: "exchange" }>,
  { to, log }: { readonly to: string; readonly log: Log },
): Promise<void> {
  const { data, volume, converted } = places;
  if (aside !== undefined) {
    await rename(data, keptAt(data, aside));
    await syncToDisk(volume);
    log(`the files of PostgreSQL ${aside} are kept as ${keptAt(data, aside)}`);
  }
  await rename(place === "converted" ? converted : keptAt(data, to), data);
  await syncToDisk(volume);
  log(`the files of PostgreSQL ${to} are in place`);
}

/** Notes that what was exchanged, or was about to be, no longer counts. */
export async function noteReturn(places: Places, { exchange: noted }: Found, from: string): Promise<void> {
  if (noted !== undefined && noted.to !== from) await noteExchange(places, reversed(noted));
}

/** Removes what no one needs, of an attempt that ended anywhere. */
export const clear = ({ work }: Pick<Places, "work">): Promise<void> => rm(work, { recursive: true, force: true });
