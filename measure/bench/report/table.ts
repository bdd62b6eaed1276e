// The figures as a table for the terminal.
import pc from "picocolors";
import type { Figure } from "../figures";
import { metricOf, ratioTo, verdictOn, type Verdict } from "../metrics";

/** A figure as people read it; a dash where there is none. */
export function numberText(value: number | null): string {
  if (value === null) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toFixed(Math.abs(value) < 1 ? 3 : value < 10 ? 2 : 1);
}

/** How many times better; a dash where it cannot be said. */
export function ratioText(ratio: number | undefined): string {
  if (ratio === undefined) return "–";
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(ratio < 1 ? 2 : 1)}×`;
}

const colors: Readonly<Record<Verdict, (text: string) => string>> = {
  reached: pc.green,
  "not reached": pc.red,
  "not told": pc.yellow,
  "": pc.dim,
};

/** One line for each figure, columns aligned. */
export function tableText(figures: readonly Figure[]): string {
  const head = ["", "ours", "stock", "floor", "unit", "vs stock", "vs floor", "target", ""];
  const rows = figures.map((figure) => [
    figure.name,
    ...[figure.ours, figure.stock, figure.floor].map(numberText),
    figure.unit,
    ratioText(ratioTo(figure, figure.stock)),
    ratioText(ratioTo(figure, figure.floor)),
    metricOf(figure.name).target?.text ?? "",
    verdictOn(figure),
  ]);
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column > 0 && column < 7 && column !== 4 ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  const body = rows.map((row, index) => {
    const figure = figures[index];
    const verdict = figure === undefined ? "" : verdictOn(figure);
    const text = line(row);
    return verdict === "" ? text : text.slice(0, text.length - verdict.length) + colors[verdict](verdict);
  });
  return [pc.bold(line(head)), ...body].join("\n");
}
