// A moment of a restore, in microseconds, and back.

/** Of a text in RFC 3339, with up to six digits of a second. Throws for another one. */
export function microsecondsOf(text: string): number {
  const [, second, fraction = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[-+]\d\d:\d\d)$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${second ?? ""}${zone ?? ""}`);
  if (Number.isNaN(milliseconds)) throw new Error(`"${text}" is no moment`);
  return milliseconds * 1000 + Number(fraction.padEnd(6, "0"));
}

/** For people, in UTC. */
export function momentText(microseconds: number): string {
  const second = new Date(Math.floor(microseconds / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${second}.${String(microseconds % 1_000_000).padStart(6, "0")}Z`;
}
