// What is known of a backup: its file `manifest.json`, with a checksum of each of its files, and in short `summary.json`, as a manifest may be large.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { isMissing } from "../../disk";

/** Where the server's files are, in the directory of a backup. */
export const dataIn = (backup: string): string => join(backup, "data");

const manifestIn = (backup: string): string => join(backup, "manifest.json");
const summaryIn = (backup: string): string => join(backup, "summary.json");

const File = z.object({ bytes: z.number(), sha256: z.string() });

/** See the header. */
export const Manifest = z.object({
  /** The UUID of its group. */
  group: z.string(),
  /** Version of the server. */
  server: z.string(),
  /** Transactions that are in it, at least. */
  transactions: z.string(),
  /** When the copy was complete, in RFC 3339. Missing: an earlier image took it. */
  copiedAt: z.string().optional(),
  /** Of all files. */
  bytes: z.number(),
  /** By their paths in its directory `data`. */
  files: z.record(z.string(), File),
});
export type Manifest = z.infer<typeof Manifest>;
export type Files = Manifest["files"];

/** What lists of backups have of it. */
const Summary = Manifest.pick({ group: true, server: true, bytes: true, copiedAt: true }).extend({
  /** Missing: an earlier image wrote it. */
  transactions: Manifest.shape.transactions.optional(),
});
export type Summary = z.infer<typeof Summary>;

/** What manifests of dumps have in common with it: earlier images took these. */
const Origin = z.object({ group: z.string() });

async function read<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    // a file that cannot be read may say all of it the next time: what would go without it must not
    if (error instanceof Error && "errno" in error && !isMissing(error)) throw error;
    return undefined;
  }
}

/** Undefined where there is none, or one of something else. */
export const manifestOf = (backup: string): Promise<Manifest | undefined> => read(manifestIn(backup), Manifest);

/** Undefined where there is none: earlier images wrote none, and a dump has none. */
export const summaryOf = (backup: string): Promise<Summary | undefined> => read(summaryIn(backup), Summary);

/** The group that a backup or a dump is of; undefined where that is unknown. */
export const groupOf = async (backup: string): Promise<string | undefined> =>
  (await read(manifestIn(backup), Origin))?.group;

/** Writes it, and in short, on disk when it resolves. */
export async function writeManifest(backup: string, manifest: Manifest): Promise<void> {
  await writeFile(manifestIn(backup), `${JSON.stringify(manifest)}\n`, { flush: true });
  await writeFile(summaryIn(backup), `${JSON.stringify(Summary.parse(manifest))}\n`, { flush: true });
}

/** Paths of all files in a directory, and those in it, in a stable order. */
export async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(directory, join(entry.parentPath, entry.name))).sort();
}

/** Reads all files of a directory. */
export async function checksumsOf(directory: string): Promise<Files> {
  const found: Record<string, z.infer<typeof File>> = {};
  for (const path of await filesIn(directory)) {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(join(directory, path), { highWaterMark: 1024 ** 2 })) {
      hash.update(chunk as Buffer);
    }
    found[path] = { bytes: (await stat(join(directory, path))).size, sha256: hash.digest("hex") };
  }
  return found;
}

/** Which file of a copy is not what the manifest says, and how; undefined where all are. */
export function damageIn(copy: Files, { files }: Pick<Manifest, "files">): string | undefined {
  const missing = Object.keys(files).find((path) => copy[path] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  const changed = Object.entries(copy).find(([path, { sha256 }]) => files[path]?.sha256 !== sha256);
  if (changed === undefined) return undefined;
  return files[changed[0]] === undefined ? `${changed[0]} is no file of it` : `${changed[0]} has other contents`;
}

/** Bytes of all files. */
export const bytesOf = (files: Files): number => Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
