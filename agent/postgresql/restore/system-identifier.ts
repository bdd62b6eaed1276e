// The system identifier of a copy: one of its own, as the archive of WAL in object storage goes by it. pg_control has it, and so has every
// segment of WAL, which must agree with it: so pg_resetwal begins a new one afterwards.
import { randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { output } from "../../restore/output";
import type { Log } from "../log";

/** What a server reads of the file at most; the checksum, which all that counts is before, is within. */
const readBytes = 512;

/** The identifier is first, as the server's machine writes numbers. */
const identifierBytes = 8;
const checksumBytes = 4;

/** Gives the copy in `directory` an identifier of its own. Its server must have ended cleanly. Cut off, it leaves files that no server starts with. */
export async function renewIdentifier(directory: string, log: Log): Promise<void> {
  const file = join(directory, "global", "pg_control");
  const renewed = withIdentifier(await readFile(file), newIdentifier(new Date()));
  await writeFile(file, renewed.control);
  await output("pg_resetwal", ["--pgdata", directory]);
  log(`its system identifier is ${renewed.identifier} now, and was ${renewed.former}`);
}

/** As initdb makes one: the time in seconds, and behind it what tells two of the same second apart. */
const newIdentifier = (now: Date): bigint =>
  (BigInt(Math.floor(now.getTime() / 1_000)) << 32n) | BigInt(randomInt(2 ** 32));

/** What pg_control became. */
export interface Renewed {
  readonly control: Buffer;
  readonly former: bigint;
  readonly identifier: bigint;
}

/**
 * The same pg_control with another identifier. Where its checksum is depends on the version: it is there where it fits what is before it. Throws where
 * it is nowhere.
 */
export function withIdentifier(control: Buffer, identifier: bigint): Renewed {
  const place = placeOfChecksum(control);
  if (place === undefined) throw new Error("global/pg_control is damaged: its checksum does not fit");
  const changed = Buffer.from(control);
  changed.writeBigUInt64LE(identifier);
  changed.writeUInt32LE(crc32c(changed.subarray(0, place)), place);
  return { control: changed, former: control.readBigUInt64LE(), identifier };
}

function placeOfChecksum(control: Buffer): number | undefined {
  const last = Math.min(control.length, readBytes) - checksumBytes;
  // a structure of C: numbers of four bytes begin at a multiple of it
  for (let place = identifierBytes; place <= last; place += checksumBytes)
    if (control.readUInt32LE(place) === crc32c(control.subarray(0, place))) return place;
  return undefined;
}

/** Castagnoli's, reflected. */
const polynomial = 0x82f63b78;

/** The checksum that PostgreSQL uses. */
export function crc32c(bytes: Buffer): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? polynomial : 0);
  }
  return ~rest >>> 0;
}
