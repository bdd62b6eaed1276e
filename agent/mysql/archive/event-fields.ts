// What events of the binary log say that name transactions: their bodies, without header and checksum, as MySQL 8.0 to 9 lay them out.

/** A transaction, as its first event tells it. */
export interface Begun {
  /** Such as "<uuid>:7". */
  readonly gtid: string;
  /** When its primary committed it, in microseconds. */
  readonly committedAt: number;
  /** Of all its events. */
  readonly bytes: number;
}

const uuidBytes = 16;
const taggedVersion = 1;

/** Of a GTID event without a tag. */
export function gtidIn(body: Buffer): Begun {
  const bytes = new Bytes(body);
  bytes.skip(1);
  const uuid = uuidText(bytes.take(uuidBytes));
  const number = bytes.integer();
  // of its logical clock: the kind, and two times
  bytes.skip(17);
  const immediate = bytes.take(7);
  const isOriginal = ((immediate[6] ?? 0) & 0x80) === 0;
  const committedAt = microsecondsIn(isOriginal ? immediate : bytes.take(7));
  return { gtid: `${uuid}:${number}`, committedAt, bytes: bytes.packed() };
}

const microsecondsIn = (bytes: Buffer): number => bytes.readUIntLE(0, 6) + ((bytes[6] ?? 0) & 0x7f) * 2 ** 48;

/** Of fields, which have numbers: those up to what is needed here, all integers but for two. */
const fields = { uuid: 1, number: 2, tag: 3, immediate: 6, original: 7, bytes: 8 } as const;
const signed: ReadonlySet<number> = new Set([fields.number, 4, 5]);

/** Of a GTID event with a tag. Throws for another version of the format. */
export function taggedGtidIn(body: Buffer): Begun {
  const bytes = new Bytes(body);
  const version = bytes.varying();
  if (version !== taggedVersion) throw new Error(`a tagged GTID event has version ${version} of its format`);
  bytes.varying();
  bytes.varying();
  const found = new Map<number, number>();
  let [uuid, tag] = ["", ""];
  while (!found.has(fields.bytes)) {
    const field = bytes.varying();
    if (field === fields.uuid) uuid = uuidText(Buffer.from(Array.from({ length: uuidBytes }, () => bytes.varying())));
    else if (field === fields.tag) tag = bytes.take(bytes.varying()).toString("latin1");
    else found.set(field, signed.has(field) ? bytes.varying() / 2 : bytes.varying());
  }
  const of = (field: number): number => found.get(field) ?? 0;
  const committedAt = found.get(fields.original) ?? of(fields.immediate);
  return {
    gtid: [uuid, ...(tag === "" ? [] : [tag]), of(fields.number)].join(":"),
    committedAt,
    bytes: of(fields.bytes),
  };
}

/** What its server had executed before a file, as MySQL writes sets; empty for none. */
export function previousIn(body: Buffer): string {
  const bytes = new Bytes(body);
  // the first and the last byte of the count say that there are tags
  const head = bytes.take(8);
  const hasTags = head[7] === 1;
  const count = hasTags ? head.readUIntLE(1, 6) : head.readUIntLE(0, 6);
  const sources: string[] = [];
  for (let index = 0; index < count; index++) {
    const uuid = uuidText(bytes.take(uuidBytes));
    const tag = hasTags ? bytes.take(bytes.varying()).toString("latin1") : "";
    const ranges = Array.from({ length: bytes.integer() }, () => `${bytes.integer()}-${bytes.integer() - 1}`);
    sources.push([uuid, ...(tag === "" ? [] : [tag]), ...ranges].join(":"));
  }
  return sources.join(",");
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Read one after the other. Throws a RangeError behind their end. */
class Bytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("an event ends before what it says is complete");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  skip(length: number): void {
    this.take(length);
  }

  /** Eight bytes. */
  integer(): number {
    return Number(this.take(8).readBigUInt64LE());
  }

  /** One byte, or a mark and two, three or eight. */
  packed(): number {
    const [first = 0] = this.take(1);
    if (first < 251) return first;
    if (first === 254) return this.integer();
    const length = first - 250;
    return this.take(length).readUIntLE(0, length);
  }

  /** Up to nine bytes: as many ones as the first ends with follow it, and the others of its bits are the lowest. */
  varying(): number {
    const [first = 0] = this.take(1);
    const more = trailingOnes(first);
    if (more === 8) return this.integer();
    const rest = more === 0 ? 0 : readUnsigned(this.take(more));
    return (first >> (more + 1)) + rest * 2 ** (7 - more);
  }
}

/** Of a byte. */
function trailingOnes(byte: number): number {
  let count = 0;
  while (count < 8 && ((byte >> count) & 1) === 1) count++;
  return count;
}

const readUnsigned = (bytes: Buffer): number => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
