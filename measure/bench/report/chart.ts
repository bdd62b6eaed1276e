// The chart of docs/performance.md: bars as SVG, in colors that suit a light and a dark page.
import type { Figure } from "../figures";
import { numberText } from "./table";

/** Who a bar is about; decides its colour. */
export type Tone = "ours" | "stock" | "floor";

interface Bar {
  readonly tone: Tone;
  readonly value: number;
}

/** Bars that belong together, under one label. */
interface Group {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A set of groups with a scale of its own. */
export interface Panel {
  readonly title: string;
  readonly groups: readonly Group[];
}

const width = 760;
const margin = 16;
const labelWidth = 178;
const valueWidth = 66;
const barHeight = 13;
const barGap = 3;
const groupGap = 13;
const titleHeight = 34;
const legendHeight = 30;
const scaleWidth = width - 2 * margin - labelWidth - valueWidth;

const names: Readonly<Record<Tone, string>> = {
  ours: "this operator",
  stock: "stock Automation API",
  floor: "plain requests, without Pulumi",
};

const tones = ["ours", "stock", "floor"] as const;

const style = `
  text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 14px; }
  .quiet { fill: #59636e; }
  .line { stroke: #d1d9e0; }
  .ours { fill: #0969da; }
  .stock { fill: #d4802a; }
  .floor { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .line { stroke: #3d444d; }
    .ours { fill: #4493f8; }
    .stock { fill: #e3a14f; }
    .floor { fill: #768390; }
  }`;

/** The panels of a run; rows that were not measured are left out. */
export function panelsOf(figures: readonly Figure[]): readonly Panel[] {
  const find = (name: string): Figure | undefined => figures.find((figure) => figure.name === name);
  const group = (label: string, name: string): Group => ({
    label,
    bars: tones.flatMap((tone) => {
      const value = find(name)?.[tone] ?? null;
      return value === null ? [] : [{ tone, value }];
    }),
  });
  const single = (label: string, tone: Tone, value: number | null | undefined): Group => ({
    label,
    bars: value == null ? [] : [{ tone, value }],
  });
  const panels: readonly Panel[] = [
    {
      title: "Seconds, median: less is better",
      groups: [
        group("new Database", "create_p50_s"),
        group("change of a Database", "update_p50_s"),
        group("preview of a change", "preview_p50_s"),
        group("deletion", "delete_p50_s"),
        group("drift restored", "drift_p50_s"),
      ],
    },
    {
      title: "New Databases per second: more is better",
      groups: [
        single("this operator", "ours", find("create_per_s")?.ours),
        single("… with the CLI alone", "ours", find("create_per_s_cli")?.ours),
        single("stock, equal workers", "stock", find("create_per_s_stock_equal_workers")?.stock),
        single("stock, one worker", "stock", find("create_per_s")?.stock),
        single("plain requests", "floor", find("create_per_s")?.floor),
      ],
    },
    {
      title: "CPU seconds for a new Database: less is better",
      groups: [group("until it is Ready", "cpu_per_create_s")],
    },
  ];
  return panels
    .map(({ title, groups }) => ({ title, groups: groups.filter(({ bars }) => bars.length > 0) }))
    .filter(({ groups }) => groups.length > 0);
}

/** The chart as an SVG document. */
export function chartOf(panels: readonly Panel[]): string {
  const parts: string[] = [];
  let top = margin + legendHeight;
  for (const panel of panels) {
    const { text, height } = panelSvg(panel, top);
    parts.push(text);
    top += height;
  }
  const height = top + margin - groupGap;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(described(panels))}">
<style>${style}
</style>
${legendSvg()}
${parts.join("\n")}
</svg>
`;
}

function legendSvg(): string {
  let left = margin;
  return tones
    .map((tone) => {
      const at = left;
      left += 34 + names[tone].length * 7;
      return `<rect class="${tone}" x="${at}" y="${margin}" width="12" height="12" rx="2"/><text x="${at + 18}" y="${margin + 11}">${names[tone]}</text>`;
    })
    .join("\n");
}

function panelSvg({ title, groups }: Panel, top: number): { text: string; height: number } {
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const lines = [`<text class="title" x="${margin}" y="${top + 18}">${escaped(title)}</text>`];
  let y = top + titleHeight;
  const axis = { top: y - 4, left: margin + labelWidth };
  for (const { label, bars } of groups) {
    const height = bars.length * (barHeight + barGap) - barGap;
    lines.push(
      `<text x="${axis.left - 10}" y="${y + height / 2 + 4.5}" text-anchor="end">${escaped(label)}</text>`,
      ...bars.map((bar, index) => barSvg(bar, y + index * (barHeight + barGap), largest)),
    );
    y += height + groupGap;
  }
  lines.push(`<line class="line" x1="${axis.left}" y1="${axis.top}" x2="${axis.left}" y2="${y - groupGap + 4}"/>`);
  return { text: lines.join("\n"), height: y - top + 4 };
}

function barSvg({ tone, value }: Bar, y: number, largest: number): string {
  const left = margin + labelWidth;
  const length = largest === 0 ? 0 : (value / largest) * scaleWidth;
  const shown = Math.max(1.5, length).toFixed(1);
  return `<rect class="${tone}" x="${left}" y="${y}" width="${shown}" height="${barHeight}" rx="2"/><text class="quiet" x="${(left + Math.max(1.5, length) + 7).toFixed(1)}" y="${y + 11}">${numberText(value)}</text>`;
}

/** For those who cannot see it. */
const described = (panels: readonly Panel[]): string =>
  panels
    .map(({ title, groups }) => {
      const texts = groups.map(
        ({ label, bars }) =>
          `${label}: ${bars.map(({ tone, value }) => `${names[tone]} ${numberText(value)}`).join(", ")}`,
      );
      return `${title}. ${texts.join("; ")}.`;
    })
    .join(" ");

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
