// The table of all Databases, as plain text.
import { metadataOf } from "../api/object";
import { fleetCells, fleetHeadings, fleetRows, fleetTotals, type FleetEntry } from "./fleet";
import { plainText } from "../objects/plain-text";
import type { Previewed } from "./plan";
import { reportOf } from "./report";

/** The name of a Database that the API server handed out. */
export function namedIn(object: unknown): string {
  const { namespace, name } = metadataOf(object);
  return `${namespace}/${name}`;
}

/** See the header. */
export function fleetText(all: readonly Previewed[], notes: readonly string[] = []): string {
  const rows = fleetRows(all.flatMap(entryOf));
  const table = [fleetHeadings, ...rows.map(fleetCells)];
  const widths = fleetHeadings.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? "").length)));
  const lines = table.map((cells) =>
    cells
      .map((text, column) =>
        plainText(text)
          .replaceAll(/\s+/g, " ")
          .padEnd(widths[column] ?? 0),
      )
      .join("   ")
      .trimEnd(),
  );
  const totals = [...fleetTotals(rows, { byPlatform: true }), ...notes];
  return `${[...(rows.length === 0 ? [] : [...lines, ""]), ...totals].join("\n")}\n`;
}

const entryOf = (one: Previewed): FleetEntry[] =>
  "database" in one ? [{ database: one.database, report: reportOf(one) }] : [];
