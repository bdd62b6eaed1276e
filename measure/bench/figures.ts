// What was measured, row by row.

/** Which of the three a value is about: the operator, the stock Automation API with one worker, plain requests. */
export type Side = "ours" | "stock" | "floor";

/** One row; null where that side has no such figure. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number | null;
  readonly stock: number | null;
  readonly floor: number | null;
  /** How many Databases there were, where the row is about that many. */
  readonly size?: number;
}

/** Collects rows while phases run. */
export class Figures {
  readonly #rows = new Map<string, Figure>();
  readonly #unitOf: (name: string) => string;

  constructor(unitOf: (name: string) => string) {
    this.#unitOf = unitOf;
  }

  /** Sets a row, or adds sides to it. */
  set(name: string, values: Partial<Pick<Figure, Side | "size">>): void {
    const before = this.#rows.get(name) ?? { name, unit: this.#unitOf(name), ours: null, stock: null, floor: null };
    this.#rows.set(name, { ...before, ...values });
  }

  get all(): readonly Figure[] {
    return [...this.#rows.values()].map(rounded);
  }
}

/** Four significant digits: more would pretend. */
function rounded(figure: Figure): Figure {
  const { ours, stock, floor } = figure;
  return { ...figure, ours: significant(ours), stock: significant(stock), floor: significant(floor) };
}

const significant = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(4)));
