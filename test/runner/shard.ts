// What is too long for one sitting is run in shards: SHARD=2/8 takes every eighth item, from the second on.

/** One of several parts that together are everything. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

export const wholeShard: Shard = { index: 1, of: 1 };

/** Parses `2/8`; undefined and empty are the whole. Throws where it is none. */
export function shardOf(text: string | undefined): Shard {
  if (text === undefined || text === "") return wholeShard;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || of === undefined || index < 1 || index > of)
    throw new Error(`SHARD=${text} is not a shard: write SHARD=2/8 for the second of eight`);
  return { index, of };
}

/** The shard of this run, by the variable SHARD. */
export const presentShard = (): Shard => shardOf(process.env["SHARD"]);

/** The items of a shard, in order: every `of`-th. */
export const itemsOf = <T>(items: readonly T[], { index, of }: Shard): T[] =>
  items.filter((_, place) => place % of === index - 1);

/** `2/8`. */
export const shardText = ({ index, of }: Shard): string => `${index}/${of}`;
