// Which backups lie in object storage: complete are those that have an entry.
import { createHash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import { log, textOf } from "../../log";
import type { Opened } from "../../object-storage/open";
import { Damaged, Misfit } from "../../object-storage/sealing";
import { Manifest } from "../copies/manifest";
import { beganAt, contentsOf, entriesOf, entryOf, groupsPrefix, type Named } from "./layout";

/** What an object must be, as it lies there. */
const Lying = z.object({ bytes: z.number(), sha256: z.string() });
export type Lying = z.infer<typeof Lying>;

/** Of an object. */
export const lyingOf = (object: Buffer): Lying => ({
  bytes: object.length,
  sha256: createHash("sha256").update(object).digest("hex"),
});

/** Throws where there is none, or another one. `name`: for people. */
export function requireWhole(name: string, object: Buffer | undefined, { bytes, sha256 }: Lying): Buffer {
  if (object === undefined) throw new Damaged(`${name} is missing`);
  if (object.length !== bytes) throw new Damaged(`${name} has ${object.length} bytes in place of ${bytes}`);
  if (lyingOf(object).sha256 !== sha256) throw new Damaged(`${name} has other contents`);
  return object;
}

/** What a backup is, in short. */
const Entry = Manifest.pick({ group: true, server: true, transactions: true, bytes: true }).extend({
  /** When the copy was complete, in RFC 3339. */
  copiedAt: z.string(),
  /** Of all objects of it but the entry. */
  storedBytes: z.number(),
  contents: Lying,
});
export type Entry = z.infer<typeof Entry>;

/** What is in it. */
const Contents = z.object({ parts: z.array(Lying), files: Manifest.shape.files });
export type Contents = z.infer<typeof Contents>;

/** The groups that have backups there, or had them. */
export const groupsIn = ({ bucket }: Pick<Opened, "bucket">): Promise<readonly string[]> =>
  bucket.directories(groupsPrefix);

/** Labels of the complete backups of a group, oldest first: they sort by time. */
export async function labelsIn({ bucket }: Pick<Opened, "bucket">, group: string): Promise<readonly string[]> {
  const [found, prefix]: [string[], string] = [[], entriesOf(group)];
  for await (const { name } of bucket.list(prefix)) found.push(name.slice(prefix.length));
  return found.filter((label) => beganAt(label) !== undefined).sort();
}

/** Throws a Damaged where it is not what was written, or not there, and a Misfit where the passphrase is another one. */
export async function readEntry({ bucket, sealer }: Opened, backup: Named): Promise<Entry> {
  const name = entryOf(backup);
  const object = await bucket.get(name);
  if (object === undefined) throw new Damaged(`${name} is missing`);
  return parsed(name, sealer.open(name, object), Entry);
}

/** With it the backup is complete. */
export async function writeEntry({ bucket, sealer }: Opened, backup: Named, entry: Entry): Promise<void> {
  const name = entryOf(backup);
  await bucket.put(name, sealer.seal(name, Buffer.from(JSON.stringify(entry))));
}

/** Throws as `readEntry`. */
export async function readContents({ bucket, sealer }: Opened, backup: Named, entry: Entry): Promise<Contents> {
  const name = contentsOf(backup);
  const object = requireWhole(name, await bucket.get(name), entry.contents);
  return parsed(name, zstdDecompressSync(sealer.open(name, object)), Contents);
}

/** Returns what it must be. */
export async function writeContents({ bucket, sealer }: Opened, backup: Named, contents: Contents): Promise<Lying> {
  const name = contentsOf(backup);
  const object = sealer.seal(name, zstdCompressSync(Buffer.from(JSON.stringify(contents))));
  await bucket.put(name, object);
  return lyingOf(object);
}

function parsed<T>(name: string, text: Buffer, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text.toString()));
  } catch (error) {
    throw new Damaged(`${name} cannot be read: ${textOf(error)}`, { cause: error });
  }
}

/** A complete backup. `entry`: undefined where that is damaged. */
export interface StoredBackup {
  readonly label: string;
  readonly entry: Entry | undefined;
}

/** Of a group whose passphrase fits, oldest first. */
export async function backupsIn(opened: Opened, group: string): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const label of await labelsIn(opened, group))
    found.push({ label, entry: await entryIfWhole(opened, { group, label }, () => undefined) });
  return found;
}

/** Undefined where it is damaged. `onMisfit`: told where it does not open, which may be damage as well. */
async function entryIfWhole(
  opened: Opened,
  backup: Named,
  onMisfit: (misfit: Misfit) => void,
): Promise<Entry | undefined> {
  try {
    return await readEntry(opened, backup);
  } catch (error) {
    if (!(error instanceof Damaged || error instanceof Misfit)) throw error;
    if (error instanceof Misfit) onMisfit(error);
    log("a backup does not say what it is", { label: backup.label, why: textOf(error) });
    return undefined;
  }
}

/**
 * Throws a Misfit where what lies there of the group has another passphrase: nothing may be written beside it. All of a group have the same one: where
 * an entry opens, others that do not are damaged.
 */
export async function requireFit(opened: Opened, group: string): Promise<void> {
  let misfit: Misfit | undefined;
  for (const label of [...(await labelsIn(opened, group))].reverse()) {
    const entry = await entryIfWhole(opened, { group, label }, (error) => {
      misfit ??= error;
    });
    if (entry !== undefined) return;
  }
  if (misfit !== undefined) throw misfit;
}
