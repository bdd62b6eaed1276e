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

/** A part is in memory as a whole while it is under way, the next one beside them, before and after it is encrypted. */
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

/**
 * Resolves when the backup is complete there. Where it fails, what it has put goes again: but not once the entry was sent, which may have arrived, or
 * arrive yet, though no answer did. Then all that it stands for is there, or it is what an attempt left.
 */
export async function send(opened: Opened, backup: Named, sending: Sending): Promise<Entry> {
  const entry = await sendAll(opened, backup, sending);
  await writeEntry(opened, backup, entry);
  log("complete", { label: backup.label, bytes: entry.bytes, storedBytes: entry.storedBytes });
  return entry;
}

async function sendAll(opened: Opened, backup: Named, sending: Sending): Promise<Entry> {
  try {
    return await sendData(opened, backup, sending);
  } catch (error) {
    await removeData(opened.bucket, backup).catch((why: unknown) => {
      log("what was sent is not removed: a later backup does that", { label: backup.label, why: String(why) });
    });
    throw error;
  }
}

async function sendData(opened: Opened, backup: Named, { data, manifest, ...sizes }: Sending): Promise<Entry> {
  const parts = await sendParts(opened, backup, packed(data, sizes.partBytes ?? partBytes));
  log("sent; reading it back", { parts: parts.length });
  await readBack(opened, backup, parts);
  const { group, server, transactions, bytes, copiedAt, files } = manifest;
  const contents = await writeContents(opened, backup, { parts, files });
  const storedBytes = parts.reduce((sum, part) => sum + part.bytes, contents.bytes);
  return { group, server, transactions, bytes, copiedAt, storedBytes, contents };
}

/** Returns what they must be. */
async function sendParts(opened: Opened, backup: Named, stream: AsyncIterable<Buffer>): Promise<Lying[]> {
  const parts: Lying[] = [];
  await inLanes(sealedParts(opened, backup, stream), lanes, async ({ name, object }) => {
    parts.push(lyingOf(object));
    await opened.bucket.put(name, object);
  });
  return parts;
}

interface Part {
  readonly name: string;
  readonly object: Buffer;
}

/** Apart from where they are put, so that what is under way does not keep the text of an object as well. */
async function* sealedParts({ sealer }: Opened, backup: Named, stream: AsyncIterable<Buffer>): AsyncIterable<Part> {
  let count = 0;
  for await (const part of stream) {
    const name = partOf(backup, count++);
    yield { name, object: sealer.seal(name, part) };
  }
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
