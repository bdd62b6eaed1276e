// The text of a dump on its way to the server: rows are counted as they pass, so that they are those of the dump's own transaction, and what has a
// definer gets the application's account for one, as accounts do not come along.
//
// mysqldump writes a statement that inserts as one line, since it escapes line breaks in texts, and names the database in lines that begin with USE.
// What has a body is between two lines that change the delimiter, each alone, and the body's lines are its author's.
import { knownModes, withDefiner } from "./headers";

const lineFeed = 0x0a;
const [quote, backslash, opening] = [0x27, 0x5c, 0x28];

/** What it does with what passes. */
export interface DumpFilter {
  /** How many rows each table was given, by `database.table`. Those that were given none are missing. */
  readonly rows: ReadonlyMap<string, number>;
  /** The text, line by line. */
  pass(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** Where a line is. `header`: behind a line that changes the delimiter, before what has a body. */
type Place = "outside" | "header" | "body";

/** `definer`: as SQL writes an account. */
export function dumpFilter(definer: string): DumpFilter {
  const rows = new Map<string, number>();
  let database = "";
  let place: Place = "outside";
  const changed = (line: Buffer): Buffer => {
    const inserted = place === "outside" ? insertIn(line) : undefined;
    if (inserted !== undefined) {
      const table = `${database}.${inserted.table}`;
      rows.set(table, (rows.get(table) ?? 0) + inserted.rows);
      return line;
    }
    const text = line.toString("latin1");
    const former = place;
    place = placeAfter(text, former);
    if (former === "body") return line;
    const used = former === "outside" ? /^USE `((?:[^`]|``)*)`;/.exec(text)?.[1] : undefined;
    if (used !== undefined) database = nameIn(used);
    return Buffer.from(withDefiner(knownModes(text), definer), "latin1");
  };
  return {
    rows,
    async *pass(chunks) {
      for await (const line of linesOf(chunks)) yield changed(line);
    },
  };
}

/** As the client that loads it takes it: the second delimiter is as long as no body has it. */
function placeAfter(line: string, place: Place): Place {
  if (place === "outside") return /^DELIMITER ;;+\n$/.test(line) ? "header" : place;
  if (line === "DELIMITER ;\n") return "outside";
  return /^(?:\/\*!\d+ )?CREATE\b/.test(line) ? "body" : place;
}

/** Whole lines, each with its end, but for a last one that has none. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, from);
      if (end === -1) break;
      yield Buffer.concat([...parts, chunk.subarray(from, end + 1)]);
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const inserting = Buffer.from("INSERT INTO `");

/** Which table a line inserts into, and how many rows; undefined where it does not. */
export function insertIn(line: Buffer): { readonly table: string; readonly rows: number } | undefined {
  if (!line.subarray(0, inserting.length).equals(inserting)) return undefined;
  const [head = "", table] = /^INSERT INTO `((?:[^`]|``)*)` (?:\((?:`(?:[^`]|``)*`(?:, )?)+\) )?VALUES /.exec(
    line.subarray(0, longestHead).toString("latin1"),
  ) ?? [""];
  return table === undefined ? undefined : { table: nameIn(table), rows: rowsIn(line, head.length) };
}

/** Names of all columns that a table can have are below. */
const longestHead = 4_096 * 70;

/** Each row is in brackets, and there are no others outside of texts: mysqldump writes values, and no expressions. */
function rowsIn(line: Buffer, from: number): number {
  let rows = 0;
  for (let at = from; at < line.length; at++) {
    if (line[at] === quote) at = endOfText(line, at);
    else if (line[at] === opening) rows++;
  }
  return rows;
}

/** The place of the quote that ends a text. */
function endOfText(line: Buffer, begin: number): number {
  for (let at = begin + 1; at < line.length; at++) {
    if (line[at] === backslash) at++;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

/** A name between backquotes, in which bytes stand for UTF-8. */
const nameIn = (quoted: string): string => Buffer.from(quoted.replaceAll("``", "`"), "latin1").toString();
