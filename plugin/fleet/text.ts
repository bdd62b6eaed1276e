// All Databases as a table. Pure.
import {
  fleetCells,
  fleetHeadings,
  fleetRows,
  fleetTotals,
  type FleetEntry,
  type FleetRow,
} from "../../operator/preview/fleet";
import { cell, table, type Cell } from "../output/columns";
import { effectPaint } from "../output/effect";
import type { Palette } from "../output/palette";
import type { Answer } from "../preview/answer";

export interface FleetView {
  readonly palette: Palette;
  readonly hasHeadings: boolean;
  /** Whether it is the platform that asks for it: then the fleet's budget holds. */
  readonly byPlatform: boolean;
}

export function fleetLines(answers: readonly Answer[], { palette, hasHeadings, byPlatform }: FleetView): string[] {
  const rows = rowsOf(answers);
  const totals = fleetTotals(rows, { byPlatform });
  if (rows.length === 0) return [...totals];
  return [
    ...table(
      [...fleetHeadings],
      rows.map((row) => cellsOf(row, palette)),
      hasHeadings,
    ),
    "",
    ...totals,
  ];
}

/** In the order in which they are shown. */
export const rowsOf = (answers: readonly Answer[]): readonly FleetRow[] => fleetRows(answers.flatMap(entryOf));

/** The column of the effect. */
const effectColumn = fleetHeadings.indexOf("EFFECT");

const cellsOf = (row: FleetRow, palette: Palette): Cell[] =>
  fleetCells(row).map((text, column) =>
    column === effectColumn
      ? cell(text, row.effect === undefined ? palette.red : effectPaint(row.effect, palette))
      : cell(text),
  );

function entryOf(answer: Answer): FleetEntry[] {
  switch (answer.kind) {
    case "report":
      return [{ database: answer.database, report: answer.report }];
    case "refused":
      return [{ database: answer.database, report: { outcome: "Refused", message: answer.message } }];
    case "unserved":
      return [{ database: answer.database, report: { outcome: "Failed", message: answer.why } }];
    case "skipped":
      return [];
  }
}
