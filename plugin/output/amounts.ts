// Times and sizes for people.

const units = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** How long, as its largest unit, such as `12 d`, `9 h` or `40 s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [size, name] = units.find(([size]) => whole >= size) ?? [1, "s"];
  return `${Math.floor(whole / size)} ${name}`;
}

/** Seconds from a time to another; undefined for what is no time. */
export function secondsBetween(from: string | undefined, to: Date): number | undefined {
  const begin = Date.parse(from ?? "");
  return Number.isNaN(begin) ? undefined : (to.getTime() - begin) / 1000;
}

/** Such as `2 h ago`; of what is no time, `at an unknown time`. Clocks differ: what is yet to come is now. */
export function agoText(at: string | undefined, now: Date): string {
  const seconds = secondsBetween(at, now);
  return seconds === undefined ? "at an unknown time" : `${durationText(seconds)} ago`;
}

/** Such as `2026-11-23 09:12 UTC`. What is no time stays as it is. */
export function momentText(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Such as `09:12:31`, with the day where that is not today's. */
export function clockText(at: string, now: Date): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const text = time.toISOString();
  const clock = text.slice(11, 19);
  return text.slice(0, 10) === now.toISOString().slice(0, 10) ? clock : `${text.slice(0, 10)} ${clock}`;
}

const sizes = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Such as `4.1 GiB`. */
export function bytesText(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value >= 100 || step === 0 ? Math.round(value) : Number(value.toFixed(1))} ${sizes[step] ?? "B"}`;
}

const timeUnits = { s: 1, m: 60, h: 3600 } as const;

/** Node counts no further: what is longer would be over at once. */
export const longestHours = Math.floor(2 ** 31 / 3_600_000);

/** Milliseconds of a text such as `90s`, `1h30m` or `0`; undefined for another one, or one that is too long. */
export function timeoutOf(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(\d+[hms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([hms])/g)];
  const ms = parts.reduce((sum, [, many = "", unit = ""]) => sum + Number(many) * secondsOf(unit) * 1000, 0);
  return ms > longestHours * 3_600_000 ? undefined : ms;
}

const secondsOf = (unit: string): number => (unit === "h" ? timeUnits.h : unit === "m" ? timeUnits.m : timeUnits.s);
