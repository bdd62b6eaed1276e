// What is in a file of the binary log: which transactions, and where the last complete one ends. Told by the headers of its events alone, as
// what statements say may look like anything.
import { open } from "node:fs/promises";
import { gtidIn, previousIn, taggedGtidIn, type Begun } from "./event-fields";
import { EventReader, eventTypes, type LogEvent } from "./events";

/** A transaction, complete in the file. */
export type Transaction = Pick<Begun, "gtid" | "committedAt">;

/** Of a file. */
export interface Scan {
  /** Version of its server. */
  readonly server: string;
  /** What its server had executed before. */
  readonly previous: string;
  /** Behind its last complete transaction, and what follows that is none. */
  readonly end: number;
  /** What is behind that and why it does not count, such as the first half of a transaction. Missing: nothing. */
  readonly problem?: string | undefined;
}

type Visit = (transaction: Transaction) => void;

/** Reads a file as its bytes come. */
export class LogReader {
  readonly #visit: Visit;
  readonly #events: EventReader;
  #server: string | undefined;
  #previous: string | undefined;
  #pending: (Begun & { readonly end: number }) | undefined;
  #end = 0;
  #problem: string | undefined;

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#events = new EventReader((event) => {
      if (this.#problem === undefined) this.#see(event);
    });
  }

  push(bytes: Buffer): void {
    this.#events.push(bytes);
  }

  /** `size`: of the file, of which all bytes have come. Undefined where not even its beginning is there. */
  finish(size: number): Scan | undefined {
    const [server, previous] = [this.#server, this.#previous];
    if (server === undefined || previous === undefined) return undefined;
    return { server, previous, end: this.#end, problem: this.#problem ?? this.#events.problem ?? this.#rest(size) };
  }

  #rest(size: number): string | undefined {
    if (this.#pending !== undefined) return `transaction ${this.#pending.gtid} at ${this.#end} has no end`;
    return this.#events.end < size ? `the event at ${this.#events.end} has no end` : undefined;
  }

  #see(event: LogEvent): void {
    this.#begin(event);
    const pending = this.#pending;
    if (pending !== undefined && event.end < pending.end) return;
    if (pending !== undefined && event.end > pending.end) {
      this.#problem = `transaction ${pending.gtid} at ${this.#end} does not end where it says`;
      return;
    }
    this.#pending = undefined;
    // a file without what it begins with has nothing
    if (this.#previous !== undefined) this.#end = event.end;
    if (pending !== undefined) this.#visit({ gtid: pending.gtid, committedAt: pending.committedAt });
  }

  #begin({ type, at, body }: LogEvent): void {
    if (type === eventTypes.format) this.#server = body.subarray(2, 52).toString("latin1").replace(/\0.*$/s, "");
    if (type === eventTypes.previous) this.#previous = previousIn(body);
    if (this.#pending !== undefined) return;
    if (type === eventTypes.anonymous) throw new Error(`the transaction at ${at} has no GTID`);
    const begun = type === eventTypes.gtid ? gtidIn(body) : type === eventTypes.tagged ? taggedGtidIn(body) : undefined;
    if (begun !== undefined) this.#pending = { ...begun, end: at + begun.bytes };
  }
}

const chunkBytes = 1024 ** 2;

/**
 * Reads a file as far as it is written now, or so many bytes of it. Undefined where it has no beginning: nothing can be in it. Throws where it cannot
 * be read.
 */
export async function scanLog(file: string, visit: Visit, most = Infinity): Promise<Scan | undefined> {
  const handle = await open(file, "r");
  try {
    const size = Math.min((await handle.stat()).size, most);
    const reader = new LogReader(visit);
    const buffer = Buffer.alloc(chunkBytes);
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, size - at), at);
      if (bytesRead === 0) throw new Error(`${file} has become shorter`);
      reader.push(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    return reader.finish(size);
  } finally {
    await handle.close();
  }
}
