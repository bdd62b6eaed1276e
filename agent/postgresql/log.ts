// The log of the programs beside Patroni: lines as Patroni and the server write them, each with the name of its program.
import { appendFileSync } from "node:fs";
import { stdout } from "node:process";

/** Writes a line. No secret is ever in one. */
export type Log = (message: string) => void;

/** A log of the program with this name. `write` gets whole lines. Default: to its own output. */
export function logOf(program: string, write: (line: string) => void = toOutput): Log {
  return (message) => {
    const time = new Date().toISOString().slice(0, 19).replace("T", " ");
    write(`${time} ${program}: ${message}\n`);
  };
}

function toOutput(line: string): void {
  stdout.write(line);
}

/** Into the log of the member: the output of a hook is not kept anywhere. */
export function toMemberLog(line: string, output = "/proc/1/fd/1"): void {
  try {
    appendFileSync(output, line);
  } catch {
    toOutput(line);
  }
}
