// Tables as kubectl prints them: three spaces between columns, none behind the last.
import type { Paint } from "./palette";

/** A text with its color: its width is that of the text. */
export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

/** On one line, whatever is in it. */
export function cell(value: string, paint?: Paint): Cell {
  const text = value.replace(/\s*\n\s*/g, " ").trim();
  return paint === undefined ? { text } : { text, paint };
}

/** Between two columns. */
const gap = "   ";

/** One line for each row; rows may have a different number of cells. */
export function columns(rows: readonly (readonly Cell[])[], between = gap): string[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => widthOf(row[column]?.text ?? ""))),
  );
  return rows.map((row) => {
    const last = row.findLastIndex(({ text }) => text !== "");
    return row
      .slice(0, last + 1)
      .map((one, column) => padded(one, column === last ? 0 : (widths[column] ?? 0)))
      .join(between);
  });
}

function padded({ text, paint }: Cell, width: number): string {
  const shown = paint === undefined ? text : paint(text);
  return shown + " ".repeat(Math.max(0, width - widthOf(text)));
}

const widthOf = (text: string): number => Array.from(text).length;

/** With headings, unless they are not wanted. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], hasHeadings: boolean): string[] {
  return columns(hasHeadings ? [headings.map((text) => cell(text)), ...rows] : rows);
}
