// Puts a copy of a server's files into object storage: the parts of a stream, then what they are, then, once all was read back, the backup's entry.
import { log } from "../../log";
import { inLanes } from "../../object-storage/lanes";
import type { Opened } from "../../object-storage/open";
import { Damaged } from "../../object-storage/sealing";
import type { Manifest } from "../copies/manifest";
import { lyingOf, requireWhole, writeContents, writeEntry, type Entry, type Lying } from "./catalogue";
import { partOf, type Named } from "./layout";
import { packed } from "./packing";
import { removeData } from "./removal";

/** A part is in memory as a whole, and once more encrypted, while it is under way. */
const partBytes = 16 * 1024 ** 2;
const lanes = 3;

/** What is sent. */
export interface Sending {
  /** The directory of the files. */
  readonly data: string;
  readonly manifest: Omit<Manifest, "copiedAt"> & Pick<Entry, "copiedAt">;
  /** Default: as memory allows. */
  readonly partBytes?: number;
}

/** Resolves when the backup is complete there. Where it fails, what it has put goes again. */
export async function send(opened: Opened, backup: Named, sending: Sending): Promise<Entry> {
  try {
    return await sendAll(opened, backup, sending);
  } catch (error) {
    await removeData(opened.bucket, backup).catch((why: unknown) => {
      log("what was sent is not removed: a later backup does that", { label: backup.label, why: String(why) });
    });
    throw error;
  }
}

async function sendAll(opened: Opened, backup: Named, { data, manifest, ...sizes }: Sending): Promise<Entry> {
  const parts = await sendParts(opened, backup, packed(data, sizes.partBytes ?? partBytes));
  log("sent; reading it back", { parts: parts.length });
  await readBack(opened, backup, parts);
  const { group, server, transactions, bytes, copiedAt, files } = manifest;
  const contents = await writeContents(opened, backup, { parts, files });
  const storedBytes = parts.reduce((sum, part) => sum + part.bytes, contents.bytes);
  const entry = { group, server, transactions, bytes, copiedAt, storedBytes, contents };
  await writeEntry(opened, backup, entry);
  log("complete", { label: backup.label, bytes, storedBytes });
  return entry;
}

/** Returns what they must be. */
async function sendParts({ bucket, sealer }: Opened, backup: Named, stream: AsyncIterable<Buffer>): Promise<Lying[]> {
  const parts: Lying[] = [];
  await inLanes(stream, lanes, async (part) => {
    const name = partOf(backup, parts.length);
    const object = sealer.seal(name, part);
    parts.push(lyingOf(object));
    await bucket.put(name, object);
  });
  return parts;
}

/** Throws where one is not what was sent. */
async function readBack({ bucket }: Opened, backup: Named, parts: readonly Lying[]): Promise<void> {
  await inLanes(parts.entries(), lanes, async ([index, part]) => {
    const name = partOf(backup, index);
    try {
      requireWhole(name, await bucket.get(name), part);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      throw new Error(`the backup ${backup.label} is not what was sent, and is removed: ${error.message}`, {
        cause: error,
      });
    }
  });
}
