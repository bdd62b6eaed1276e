// The lists as a table, and who appends what to which.
import { z } from "zod";
import type { Operation } from "./history";

/** What a transaction must do; reads have no answer yet. */
export type Step =
  | { readonly kind: "append"; readonly key: number; readonly value: number }
  | { readonly kind: "read"; readonly key: number };

export const listsStatement = (table: string): string =>
  `create table if not exists ${table} (number int primary key, list text not null)`;

export const readStatement = (table: string, key: number): string => `select list from ${table} where number = ${key}`;

export const readAllStatement = (table: string): string => `select number, list from ${table}`;

const One = z.array(z.tuple([z.string()])).max(1);
const All = z.array(z.tuple([z.number(), z.string()]));

const valuesIn = (list: string): readonly number[] => z.array(z.coerce.number().int()).parse(list.split(","));

/** What a read was answered: a list that no client appended to is empty. */
export function readOf(key: number, rows: readonly unknown[][]): Operation {
  const [[list] = []] = One.parse(rows);
  return { kind: "read", key, values: list === undefined ? [] : valuesIn(list) };
}

export const listsIn = (rows: readonly unknown[][]): ReadonlyMap<number, readonly number[]> =>
  new Map(All.parse(rows).map(([key, list]) => [key, valuesIn(list)]));

/** Lists that are in use at the same moment: few enough that transactions meet. */
const listsAtOnce = 4;
/** Then another list takes its place: reads stay short. */
const appendsPerList = 40;
const maxSteps = 4;

/** Plans transactions for all clients, so that no value is appended twice. */
export class Planner {
  readonly #inUse: { key: number; values: number }[] = [];
  #made = 0;

  /** One transaction: half of its steps are appends. `random`: from 0 to less than 1. */
  next(random: () => number = Math.random): readonly Step[] {
    const pick = (below: number): number => Math.floor(random() * below);
    return Array.from({ length: 1 + pick(maxSteps) }, (): Step => {
      const list = this.#listAt(pick(listsAtOnce));
      if (pick(2) === 0) return { kind: "read", key: list.key };
      list.values += 1;
      return { kind: "append", key: list.key, value: list.values };
    });
  }

  #listAt(index: number): { key: number; values: number } {
    const present = this.#inUse[index];
    if (present !== undefined && present.values < appendsPerList) return present;
    this.#made += 1;
    const list = { key: this.#made, values: 0 };
    this.#inUse[index] = list;
    return list;
  }
}
