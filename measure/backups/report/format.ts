// Figures as the page has them. Pure.

export const notMeasured = "Not measured yet.";

const mebibyte = 1024 ** 2;

/** Such as `1.2 GiB`. */
export const sizeText = (bytes: number): string =>
  bytes < 1024 * mebibyte ? `${Math.round(bytes / mebibyte)} MiB` : `${(bytes / 1024 / mebibyte).toFixed(1)} GiB`;

export const secondsText = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;

/** Megabytes of the backup in a second. */
export const rateText = (bytes: number, seconds: number): string =>
  `${(bytes / 1e6 / Math.max(seconds, 0.001)).toFixed(0)} MB/s`;

interface Signed {
  readonly version: string;
  readonly date: string;
  readonly commit: string;
  readonly load?: number | undefined;
}

/** Which servers, when, with what, and what else the machine did. */
export function takenText(lines: readonly Signed[]): string {
  const distinct = (all: readonly string[]): string => [...new Set(all)].sort().join(", ");
  return `Versions ${distinct(lines.map(({ version }) => version))}; taken ${distinct(lines.map(({ date }) => date))} with ${distinct(lines.map(({ commit }) => commit))}; ${loadText(lines.flatMap(({ load }) => load ?? []))}.`;
}

/** Two are what two cores do. */
function loadText(loads: readonly number[]): string {
  if (loads.length === 0) return "the load average of the machine was not noted";
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(0));
  return `the load average of the machine was ${least === most ? least : `${least} to ${most}`}`;
}
