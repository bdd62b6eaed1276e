// What single reads show: values that no client appended, that were rolled back, or that must not be seen yet.
import type { Anomaly, AnomalyKind } from "./anomalies";
import { appendsOf, readsOf, type Read, type Transaction } from "./history";
import { nameOf, type Settled } from "./settled";

/** An append, as a client that reads its value judges it. */
interface Origin {
  readonly transaction: Transaction;
  /** Whether its transaction appended to the same list once more. */
  readonly isIntermediate: boolean;
}

/** Judges each read alone. Source of G1a and G1b: Adya, chapter 3. */
export function anomaliesOfReads(transactions: readonly Transaction[], settled: readonly Settled[]): Anomaly[] {
  const origins = originsOf(transactions);
  return settled.flatMap((reader) =>
    readsOf(reader).flatMap((read) =>
      [
        ...duplicates(read),
        ...strangers(read, origins),
        ...aborted(read, origins),
        ...intermediate(read, reader, origins),
      ].map(([kind, value]): Anomaly => ({ kind, detail: `${reader.title} read ${value} in list ${read.key}` })),
    ),
  );
}

type Found = readonly [kind: AnomalyKind, value: number];

function originsOf(transactions: readonly Transaction[]): ReadonlyMap<string, Origin> {
  return new Map(
    transactions.flatMap((transaction) => {
      const last = new Map(appendsOf(transaction).map(({ key, value }) => [key, value]));
      return appendsOf(transaction).map(({ key, value }): [string, Origin] => {
        return [nameOf(key, value), { transaction, isIntermediate: last.get(key) !== value }];
      });
    }),
  );
}

const duplicates = ({ values }: Read): Found[] =>
  [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map((value) => ["duplicate", value]);

const strangers = ({ key, values }: Read, origins: ReadonlyMap<string, Origin>): Found[] =>
  values.filter((value) => !origins.has(nameOf(key, value))).map((value) => ["unwritten", value]);

const aborted = ({ key, values }: Read, origins: ReadonlyMap<string, Origin>): Found[] =>
  values
    .filter((value) => origins.get(nameOf(key, value))?.transaction.ending === "aborted")
    .map((value) => ["G1a", value]);

/** Only where a list ends: later in it the rest of that transaction must have come, which the order of the list shows. */
function intermediate({ key, values }: Read, reader: Settled, origins: ReadonlyMap<string, Origin>): Found[] {
  const last = values.at(-1);
  const origin = last === undefined ? undefined : origins.get(nameOf(key, last));
  const isOwn = origin?.transaction.operations === reader.operations;
  return last === undefined || isOwn || origin?.isIntermediate !== true ? [] : [["G1b", last]];
}
