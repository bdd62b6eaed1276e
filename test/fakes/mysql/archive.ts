// Binary logs on a backup volume, and backups beside them, by the numbers of their transactions.
import type { Base, KeptLog, Session } from "../../../agent/mysql/archive/decide";
import { parseGtidSet, type GtidSet } from "../../../agent/mysql/gtid";

/** The group of all of them. */
export const group = "aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa";

/** Transactions of it: such as "1-5:7". */
export const set = (text: string): GtidSet => parseGtidSet(text === "" ? "" : `${group}:${text}`);

/** A file. */
export const logOf = (name: string, previous: string, transactions: string): KeptLog => ({
  ...{ name, bytes: 100, latest: 1, server: "9.7.4" },
  ...{ previous: set(previous), transactions: set(transactions) },
});

/** A time that a member was followed. */
export const sessionOf = (number: number, previous: string, ...logs: KeptLog[]): Session => ({
  ...{ number, member: "shop-0", startedAt: `2026-11-2${number}T00:00:00Z`, previous: set(previous), logs },
});

/** A backup. */
export const baseOf = (name: string, transactions: string, copiedAt = "2026-11-21T02:00:00.5Z"): Base => ({
  ...{ name, bytes: 1000, copiedAt, transactions: set(transactions) },
});
