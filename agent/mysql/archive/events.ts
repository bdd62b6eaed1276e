// The events of a file of the binary log, as its bytes come: each with its type, and its body where that is asked for.
import { crc32 } from "node:zlib";

/** Types of events that say something here. */
export const eventTypes = { format: 15, gtid: 33, anonymous: 34, previous: 35, tagged: 42 } as const;
const withBody: ReadonlySet<number> = new Set(Object.values(eventTypes));

const magic = Buffer.from([0xfe, 0x62, 0x69, 0x6e]);
const headerBytes = 19;
const checksumBytes = 4;
/** What comes of bytes together with their own CRC-32 behind them. */
const residue = 0x2144df1c;
/** A server that writes to a file says so in its first event, and leaves that out of the checksum. */
const inUse = 1;
const flagsAt = 17;

/** An event that is complete, and has its checksum. */
export interface LogEvent {
  readonly type: number;
  readonly at: number;
  /** Where the next one begins. */
  readonly end: number;
  /** Without header and checksum; empty for types that say nothing here. */
  readonly body: Buffer;
}

/** See the header. */
export class EventReader {
  readonly #visit: (event: LogEvent) => void;
  /** What is not yet enough for a header, or for the beginning of the file. */
  #head = Buffer.alloc(0);
  #isBegun = false;
  #at = 0;
  #event: Partial | undefined;
  #hasChecksums = true;
  #problem: string | undefined;

  constructor(visit: (event: LogEvent) => void) {
    this.#visit = visit;
  }

  /** What cannot be read, and where; nothing behind it is looked at. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Where the last complete event ends. */
  get end(): number {
    return this.#at;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.#problem === undefined)
      rest = this.#event === undefined ? this.#take(rest) : this.#fill(this.#event, rest);
  }

  #take(bytes: Buffer): Buffer {
    const wanted = this.#isBegun ? headerBytes : magic.length;
    const missing = wanted - this.#head.length;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, missing)]);
    if (this.#head.length === wanted) {
      if (this.#isBegun) this.#open(this.#head);
      else this.#begin(this.#head);
      this.#head = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  }

  #begin(head: Buffer): void {
    if (!head.equals(magic)) this.#problem = "it is no binary log";
    this.#isBegun = true;
    this.#at = magic.length;
  }

  #open(header: Buffer): void {
    const [type = 0, length] = [header[4], header.readUInt32LE(9)];
    if (length < headerBytes + (this.#hasChecksums ? checksumBytes : 0)) {
      this.#problem = `there is no event at ${this.#at}`;
      return;
    }
    if (type === eventTypes.format) header.writeUInt16LE(header.readUInt16LE(flagsAt) & ~inUse, flagsAt);
    this.#event = { type, end: this.#at + length, left: length - headerBytes, sum: crc32(header), body: [] };
    if (this.#event.left === 0) this.#close(this.#event);
  }

  #fill(event: Partial, bytes: Buffer): Buffer {
    const part = bytes.subarray(0, event.left);
    event.left -= part.length;
    event.sum = crc32(part, event.sum);
    // the buffer is written to again
    if (withBody.has(event.type)) event.body.push(Buffer.from(part));
    if (event.left === 0) this.#close(event);
    return bytes.subarray(part.length);
  }

  #close({ type, end, sum, body }: Partial): void {
    this.#event = undefined;
    const whole = Buffer.concat(body);
    // the first event always has one, and says whether the others do
    const isFormat = type === eventTypes.format;
    if ((isFormat || this.#hasChecksums) && sum !== residue) {
      this.#problem = `the event at ${this.#at} is not what was written`;
      return;
    }
    if (isFormat) this.#hasChecksums = whole.at(-checksumBytes - 1) === 1;
    const at = this.#at;
    this.#at = end;
    const hasOne = isFormat || this.#hasChecksums;
    this.#visit({ type, at, end, body: hasOne ? whole.subarray(0, -checksumBytes) : whole });
  }
}

/** An event that has begun. */
interface Partial {
  readonly type: number;
  readonly end: number;
  left: number;
  sum: number;
  readonly body: Buffer[];
}
