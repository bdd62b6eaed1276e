// Files of the binary log, made of the transactions that a test wants in them.
import { crc32 } from "node:zlib";
import { parseGtidSet } from "../../../agent/mysql/gtid";

/** A transaction of one source, with a statement of as many bytes. */
export interface FakeTransaction {
  readonly number: number;
  readonly committedAt: number;
  readonly bytes?: number;
}

/** What is in a file. */
export interface FakeLog {
  readonly source: string;
  readonly previous?: string;
  readonly transactions: readonly FakeTransaction[];
  readonly server?: string;
}

/** The file. */
export function binaryLog({ source, previous = "", transactions, server = "9.7.4" }: FakeLog): Buffer {
  let file = Buffer.from([0xfe, 0x62, 0x69, 0x6e]);
  const add = (event: Buffer): void => {
    file = Buffer.concat([file, event]);
  };
  add(eventOf(15, formatOf(server)));
  add(eventOf(35, previousOf(previous)));
  for (const { number, committedAt, bytes = 10 } of transactions) {
    const statement = eventOf(2, Buffer.alloc(bytes, 0x61));
    const length = gtidOf({ source, number, committedAt }, 0).length + statement.length;
    add(gtidOf({ source, number, committedAt }, length));
    add(statement);
  }
  add(eventOf(4, Buffer.from("        binlog.000002")));
  return file;
}

function eventOf(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(19);
  header[4] = type;
  header.writeUInt32LE(header.length + body.length + 4, 9);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(Buffer.concat([header, body])));
  return Buffer.concat([header, body, checksum]);
}

function formatOf(server: string): Buffer {
  const head = Buffer.alloc(57);
  head.writeUInt16LE(4);
  head.write(server, 2, "latin1");
  // lengths of 41 kinds of events, and that events have checksums
  return Buffer.concat([head, Buffer.alloc(41), Buffer.from([1])]);
}

function previousOf(text: string): Buffer {
  const parts = [...parseGtidSet(text)].map(([uuid, ranges]) =>
    Buffer.concat([
      bytesOf(uuid),
      integer(ranges.length),
      ...ranges.flatMap(([from, to]) => [integer(from), integer(to + 1)]),
    ]),
  );
  return Buffer.concat([integer(parts.length), ...parts]);
}

function gtidOf(
  { source, number, committedAt }: { source: string; number: number; committedAt: number },
  length: number,
): Buffer {
  const time = Buffer.alloc(7);
  time.writeUIntLE(committedAt % 2 ** 48, 0, 6);
  time[6] = Math.floor(committedAt / 2 ** 48);
  const size = Buffer.concat([Buffer.from([254]), integer(length)]);
  return eventOf(
    33,
    Buffer.concat([Buffer.alloc(1), bytesOf(source), integer(number), Buffer.alloc(17), time, size, Buffer.alloc(4)]),
  );
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
