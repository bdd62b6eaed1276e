// Archives as mongodump writes them, from their parts: see `agent/mongodb/backup/archive.ts`.
import { gzipSync } from "node:zlib";
import { BSON } from "mongodb";

/** The word that ends a row of documents. */
export const end = Buffer.alloc(4, 0xff);

/** What an archive begins with. */
export const beginning = [
  Buffer.from("6de29981", "hex"),
  BSON.serialize({ version: "0.1", server_version: "7.0.42", tool_version: "100.9.5", concurrent_collections: 4 }),
];

/** What is known of a collection before the documents. */
export const prelude = (
  db: string,
  collection: string,
  indexes: readonly unknown[] = [],
  type = "collection",
): Uint8Array => BSON.serialize({ db, collection, metadata: BSON.EJSON.stringify({ indexes }), size: 0, type });

/** The same of the oplog, which is none, and belongs to no database. */
export const preludeOfOplog = BSON.serialize({ db: "", collection: "oplog", metadata: "", size: 0, type: "" });

/** Some documents of a collection. */
export const block = (db: string, collection: string, documents: readonly object[]): Uint8Array[] => [
  BSON.serialize({ db, collection, EOF: false, CRC: 0 }),
  ...documents.map((document) => BSON.serialize(document)),
  end,
];

/** What comes after the last of them. */
export const ending = (db: string, collection: string): Uint8Array[] => [
  BSON.serialize({ db, collection, EOF: true, CRC: 0 }),
  end,
];

/** As it lies in its file; `length`: of how many bytes of it. */
export const compressed = (parts: readonly Uint8Array[], length?: number): Buffer =>
  gzipSync(Buffer.concat(parts).subarray(0, length));

/** The archive of one collection with these documents; `oplog`: what was written meanwhile, where that was taken along. */
export const archiveOf = (documents: readonly object[], oplog?: readonly object[]): Buffer =>
  compressed([
    ...[...beginning, prelude("app", "items")],
    ...[...(oplog ? [preludeOfOplog] : []), end],
    ...[...block("app", "items", documents), ...ending("app", "items")],
    // one to which nothing was written has an end alone
    ...(oplog ? [...(oplog.length > 0 ? block("", "oplog", oplog) : []), ...ending("", "oplog")] : []),
  ]);
