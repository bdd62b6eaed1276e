// Transactions as they come, one after the other, as a set: there may be hundreds of thousands in a file, and not in the order of their numbers.
import { merged, ofSource, type GtidSet } from "../gtid";

type Range = [from: number, to: number];

/** So many ranges of a source are merged no earlier than they have become twice as many. */
const leastMerged = 1024;

/** See the header. Takes as much memory as the set has ranges, and time in proportion to what comes. */
export class Collected {
  readonly #sources = new Map<string, { ranges: Range[]; mergeAt: number }>();

  add(gtid: string): void {
    const [, source, digits] = /^(.*):(\d+)$/.exec(gtid.toLowerCase()) ?? [];
    if (source === undefined || digits === undefined) throw new Error(`"${gtid}" is no transaction`);
    const number = Number(digits);
    const known = this.#sources.get(source) ?? { ranges: [], mergeAt: leastMerged };
    this.#sources.set(source, known);
    const last = known.ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) {
      last[1] = number;
      return;
    }
    known.ranges.push([number, number]);
    if (known.ranges.length < known.mergeAt) return;
    known.ranges = merged(known.ranges).map(([from, to]) => [from, to]);
    known.mergeAt = Math.max(leastMerged, known.ranges.length * 2);
  }

  /** Those of one UUID, whatever their tags. */
  of(uuid: string): GtidSet {
    return ofSource(this.all(), uuid);
  }

  all(): GtidSet {
    return new Map([...this.#sources].map(([source, { ranges }]) => [source, merged(ranges)]));
  }
}
