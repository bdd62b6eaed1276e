// What is in an archive of mongodump, told from reading it to its end: collections, how many documents each has, and their indexes.
//
// The form is mongo-tools' own: a magic number, a header, what is known of each collection and of the oplog, and then blocks of documents, each
// below the name of its collection. One whose documents have ended says so in a block of its own: an archive that was cut off lacks it.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { BSON } from "mongodb";
import { z } from "zod";
import { textOf } from "../../log";

/** A collection, or a view. */
export interface ArchivedCollection {
  readonly database: string;
  readonly name: string;
  /** Beside the one of `_id`, as the server that was dumped told them. */
  readonly indexes: readonly Readonly<Record<string, unknown>>[];
  /** Undefined where it has none of its own, as a view, or in a form of the server's, as a time series. */
  readonly documents: number | undefined;
}

/** What is in an archive. */
export interface Contents {
  readonly collections: readonly ArchivedCollection[];
  /** Whether what was written while it was taken is in it, by which all of it can be brought to one moment. */
  readonly hasOplog: boolean;
  /** How many changes there are in it, by which collections differ from what the archive has of them. */
  readonly changes: number;
  /** Bytes of all of it, which are compressed in the file. */
  readonly bytes: number;
}

/** The archive cannot be read: it is no archive, was cut off, or has changed since it was written. */
export class ArchiveDamaged extends Error {}

/** Reads an archive. Throws an ArchiveDamaged, or what the file system says. */
export async function contentsOf(file: string): Promise<Contents> {
  const stored = createReadStream(file);
  const plain = createGunzip({ chunkSize: chunkBytes });
  stored.on("error", (error) => plain.destroy(error));
  try {
    return await read(new Pieces(stored.pipe(plain)));
  } catch (error) {
    throw isOfTheFile(error) ? new ArchiveDamaged(textOf(error), { cause: error }) : error;
  } finally {
    stored.destroy();
  }
}

/** zlib's errors have names such as Z_DATA_ERROR, and those of the system a number of its own. */
const isOfTheFile = (error: unknown): boolean => !(error instanceof Error && "errno" in error && "syscall" in error);

const magicNumber = 0x81_99_e2_6d;
const terminator = 0xff_ff_ff_ff;
/** Larger than any document that a server takes. */
const mostBytes = 64 * 1024 ** 2;
/** Of an empty document. */
const leastBytes = 5;
/** So much at once: most documents are small, and to wait for each takes longer than to read it. */
const chunkBytes = 256 * 1024;

const isLength = (length: number): boolean => length >= leastBytes && length <= mostBytes;

/** A stream in pieces of known lengths. */
class Pieces {
  readonly #chunks: AsyncIterator<Buffer, unknown>;
  #rest: Buffer = Buffer.alloc(0);
  taken = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        if (have === 0) return undefined;
        throw new Error("it ends in the middle of a document");
      }
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    this.taken += length;
    return all.subarray(0, length);
  }

  /** A document; null for the word that ends a row of them, undefined at the end of the stream. */
  async document(): Promise<Buffer | null | undefined> {
    const start = await this.take(4);
    if (start === undefined) return undefined;
    const length = start.readUInt32LE();
    if (length === terminator) return null;
    if (!isLength(length)) throw new Error("it has something that is no document");
    const rest = await this.take(length - 4);
    if (rest === undefined) throw new Error("it ends in the middle of a document");
    return Buffer.concat([start, rest]);
  }

  /** Passes over the documents that are there already, without waiting, and says how many. */
  pass(): number {
    let [count, at] = [0, 0];
    for (; at + 4 <= this.#rest.length; count++) {
      const length = this.#rest.readUInt32LE(at);
      if (!isLength(length) || at + length > this.#rest.length) break;
      at += length;
    }
    this.#rest = this.#rest.subarray(at);
    this.taken += at;
    return count;
  }
}

const Prelude = z.looseObject({
  db: z.string(),
  collection: z.string(),
  metadata: z.string(),
  type: z.string().default("collection"),
});
type Prelude = z.infer<typeof Prelude>;

const Metadata = z.looseObject({ indexes: z.array(z.record(z.string(), z.unknown())).default([]) });
const Block = z.looseObject({ db: z.string(), collection: z.string(), EOF: z.boolean().default(false) });

/** The oplog is listed as a collection of no database. */
const oplog = ".oplog";

async function read(pieces: Pieces): Promise<Contents> {
  if ((await pieces.take(4))?.readUInt32LE() !== magicNumber) throw new Error("it is no archive of mongodump");
  if (!(await pieces.document())) throw new Error("it has no header");
  const preludes: Prelude[] = [];
  for (;;) {
    const found = await pieces.document();
    if (found === undefined) throw new Error("it ends before its first document");
    if (found === null) break;
    preludes.push(Prelude.parse(BSON.deserialize(found)));
  }
  const { counts, changes } = await blocksOf(pieces);
  const listed = preludes.map((prelude) => collectionOf(prelude, counts));
  return {
    collections: listed.filter(({ database, name }) => fullName(database, name) !== oplog),
    hasOplog: counts.has(oplog),
    changes,
    bytes: pieces.taken,
  };
}

/** What blocks have. */
interface Blocks {
  /** How many documents each collection has, by full name; of the oplog only that it is there. */
  readonly counts: ReadonlyMap<string, number>;
  readonly changes: number;
}

/** Reads them to the end. Throws where a collection lacks its end. */
async function blocksOf(pieces: Pieces): Promise<Blocks> {
  const counts = new Map<string, number>();
  const ended = new Set<string>();
  let changes = 0;
  for (;;) {
    const header = await pieces.document();
    if (header === undefined) break;
    if (header === null) throw new Error("it has documents of no collection");
    const { db, collection, EOF } = Block.parse(BSON.deserialize(header));
    const name = fullName(db, collection);
    if (name === oplog) changes += await changesIn(pieces);
    counts.set(name, (counts.get(name) ?? 0) + (name === oplog ? 0 : await countOf(pieces)));
    if (EOF) ended.add(name);
  }
  const open = [...counts.keys()].find((name) => !ended.has(name));
  if (open !== undefined) throw new Error(`it ends before the last document of ${open}`);
  return { counts, changes };
}

const Entry = z.looseObject({ op: z.string() });

/** How many entries of the oplog change something: a server that is idle writes one every ten seconds that does not. */
async function changesIn(pieces: Pieces): Promise<number> {
  for (let count = 0; ;) {
    const found = await pieces.document();
    if (found === undefined) throw new Error("it ends in the middle of the oplog");
    if (found === null) return count;
    if (Entry.parse(BSON.deserialize(found)).op !== "n") count++;
  }
}

async function countOf(pieces: Pieces): Promise<number> {
  for (let count = pieces.pass(); ; count += 1 + pieces.pass()) {
    const found = await pieces.document();
    if (found === undefined) throw new Error("it ends in the middle of a collection");
    if (found === null) return count;
  }
}

function collectionOf(
  { db: database, collection: name, metadata, type }: Prelude,
  counts: ReadonlyMap<string, number>,
): ArchivedCollection {
  // servers have the data of a time series in a collection of buckets; later ones do not show it
  const places = [name, ...(type === "timeseries" ? [`system.buckets.${name}`] : [])];
  const place = places.map((one) => fullName(database, one)).find((one) => counts.has(one));
  if (type !== "view" && place === undefined)
    throw new Error(`it has no documents of ${fullName(database, name)}, nor says that there are none`);
  const { indexes } = Metadata.parse(metadata === "" ? {} : BSON.EJSON.parse(metadata, { relaxed: false }));
  const isPlain = type !== "view" && type !== "timeseries";
  return {
    database,
    name,
    indexes: indexes.filter((index) => index["name"] !== "_id_"),
    documents: isPlain && place !== undefined ? counts.get(place) : undefined,
  };
}

const fullName = (database: string, collection: string): string => `${database}.${collection}`;
