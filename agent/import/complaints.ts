// What programs that dump and load complain of, without what users stored: a message is in a condition and in logs, which more people may read
// than the data. Pure.
import { textOf } from "../log";

const mostLines = 3;

/** From its last error on, as hints come behind it. */
export function complaintIn(text: string): string {
  const lines = text.trim().split("\n");
  const error = lines.findLastIndex((line) => /\berror\b/i.test(line));
  const told = error === -1 ? lines.slice(-mostLines) : lines.slice(error, error + mostLines);
  return textOf(told.join("; "));
}

/** Servers put values behind these; they may go on over lines, up to the next one that has a head of its own. */
const details = /^(?:DETAIL|CONTEXT|QUERY|STATEMENT):/;
const heads = /^(?:\w[\w-]*: |[A-Z]{2,}\b|\d{4}-\d\d-\d\d[T ])/;

/** For the lines of a program, one after the other: what is told of each; undefined where nothing is. */
export function withoutValues(): (line: string) => string | undefined {
  let isInside = false;
  return (line) => {
    if (details.test(line)) isInside = true;
    else if (heads.test(line)) isInside = false;
    return isInside ? undefined : masked(line);
  };
}

/** MySQL has the value in the message itself, and mongorestore the key. */
const masked = (line: string): string =>
  line
    .replace(/Duplicate entry '.*' for key/, "Duplicate entry '…' for key")
    .replace(/(Incorrect \w+ value: )'.*' for column/, "$1'…' for column")
    .replace(/dup key: \{.*\}/, "dup key: { … }");
