// What is in a file of the binary log, as mysqlbinlog tells it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { cleanEnvironment } from "../../supervise/run";

/** A transaction, complete in the file. */
export interface Transaction {
  /** Such as "<uuid>:7". */
  readonly gtid: string;
  /** When its member committed it, in microseconds. */
  readonly committedAt: number;
}

/** Of a file. */
export interface Scan {
  /** What its server had executed before. */
  readonly previous: string;
  /** Where its last complete transaction ends. */
  readonly end: number;
  /** Whether there is nothing behind that, but for what closes a file. */
  readonly isWhole: boolean;
}

type Visit = (transaction: Transaction) => void;

interface Pending extends Transaction {
  readonly end: number;
}

/**
 * Reads what mysqlbinlog prints, line by line. Between the beginning of a transaction and its end, which its first event tells, lines are those of
 * statements, which say what they like.
 */
export class LogReader {
  readonly #visit: Visit;
  #at = 0;
  #end = 0;
  #previous: string[] | undefined;
  #isPrevious = false;
  #begun: Omit<Pending, "gtid"> | undefined;
  #pending: Pending | undefined;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  line(text: string): void {
    const [, at] = /^# at (\d+)$/.exec(text) ?? [];
    if (at !== undefined) this.#move(Number(at));
    else if (this.#pending === undefined) this.#head(text);
  }

  /** `size`: of the file. `isClean`: whether mysqlbinlog read it to its end. Undefined where not even its beginning is there. */
  finish(size: number, isClean: boolean): Scan | undefined {
    if (this.#pending !== undefined && isClean && this.#pending.end <= size) this.#complete(this.#pending);
    if (this.#previous === undefined || this.#end === 0) return undefined;
    const isWhole = isClean && this.#pending === undefined && this.#begun === undefined;
    return { previous: this.#previous.join("").replace("[empty]", ""), end: this.#end, isWhole };
  }

  #move(at: number): void {
    this.#isPrevious = false;
    if (this.#pending !== undefined) {
      if (at < this.#pending.end) return;
      this.#complete(this.#pending);
    }
    this.#at = at;
  }

  #complete({ end, gtid, committedAt }: Pending): void {
    this.#pending = undefined;
    this.#end = end;
    this.#visit({ gtid, committedAt });
  }

  #head(text: string): void {
    const [, end] = /^#.* end_log_pos (\d+) .*\tPrevious-GTIDs$/.exec(text) ?? [];
    if (end !== undefined) {
      [this.#previous, this.#end, this.#isPrevious] = [[], Number(end), true];
      return;
    }
    if (this.#isPrevious) this.#addPrevious(text);
    this.#begin(text);
  }

  #addPrevious(text: string): void {
    const [, set] = /^# (.*)$/.exec(text) ?? [];
    if (set !== undefined) this.#previous?.push(set);
  }

  #begin(text: string): void {
    const [, committed, length] =
      /^#.*\tGTID\t.*\boriginal_committed_timestamp=(\d+)\t.*\btransaction_length=(\d+)$/.exec(text) ?? [];
    if (length !== undefined) this.#begun = { committedAt: Number(committed), end: this.#at + Number(length) };
    const [, gtid] = /^SET @@SESSION\.GTID_NEXT= '([0-9a-f-]{36}:[^']+)'/.exec(text) ?? [];
    if (gtid === undefined || this.#begun === undefined) return;
    this.#pending = { gtid, ...this.#begun };
    this.#begun = undefined;
  }
}

/** Reads a file. Undefined where it has no beginning: nothing can be in it. */
export async function scanLog(file: string, visit: Visit): Promise<Scan | undefined> {
  const { size } = await stat(file);
  const args = ["--no-defaults", "--base64-output=DECODE-ROWS", "--verify-binlog-checksum", file];
  const child = spawn("mysqlbinlog", args, { stdio: ["ignore", "pipe", "ignore"], env: cleanEnvironment() });
  const closed = once(child, "close");
  const reader = new LogReader(visit);
  for await (const line of createInterface({ input: child.stdout })) reader.line(line);
  const [code] = (await closed) as [number | null];
  if (code === null) throw new Error(`mysqlbinlog was ended while it read ${file}`);
  return reader.finish(size, code === 0);
}
