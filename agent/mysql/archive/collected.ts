// Transactions as they come, one after the other, as a set: there may be hundreds of thousands in a file.

type Range = [from: number, to: number];

/** See the header. */
export class Collected {
  readonly #ranges = new Map<string, Range[]>();

  add(gtid: string): void {
    const [, source = "", digits] = /^(.*):(\d+)$/.exec(gtid) ?? [];
    if (digits === undefined) throw new Error(`"${gtid}" is no transaction`);
    const number = Number(digits);
    const ranges = this.#ranges.get(source) ?? [];
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
    this.#ranges.set(source, ranges);
  }

  /** As MySQL writes it; empty for none. */
  text(): string {
    return [...this.#ranges]
      .flatMap(([source, ranges]) => ranges.map(([from, to]) => `${source}:${from}-${to}`))
      .join(",");
  }
}
