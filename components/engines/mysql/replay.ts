// What parameters mean for binary logs that are copied, and replayed.
import { mebibyte } from "../../quantities";
import type { Settings } from "../../settings";
import { knownFor } from "./known-parameters";
import { sortedByName } from "../sorted";
import { valueOf } from "./values";

/** Parameters that have a say in what a change leaves behind, and are in no event of the binary log. */
const deciding: ReadonlySet<string> = new Set([
  ...["default_week_format", "div_precision_increment", "innodb_default_row_format", "innodb_file_per_table"],
  ...["innodb_ft_enable_stopword", "innodb_ft_max_token_size", "innodb_ft_min_token_size"],
  ...["innodb_ft_server_stopword_table", "innodb_strict_mode", "ngram_token_size", "partial_revokes"],
  ...["password_history", "password_reuse_interval", "restrict_fk_on_non_standard_key"],
]);

/** Those that the user chose, for the server that replays: a member would apply changes with them. */
export const replayParametersOf = ({ config }: Pick<Settings, "config">): Readonly<Record<string, string>> =>
  sortedByName(Object.fromEntries(Object.entries(config).filter(([name]) => deciding.has(name))));

/** The server's default, and what it takes for no limit. */
const transactionBytes = { default: 150_000_000, most: 2_147_483_647 } as const;

/** Of the program and its client, beside the event that is being copied. */
const ownMebibytes = 200;
const leastMebibytes = 512;

/**
 * The memory of the pod that copies binary logs. One event may have all of a transaction, and is in memory as a whole, for a moment twice: while the
 * client makes room for a larger one.
 */
export function archiveMebibytesOf({ version, config }: Pick<Settings, "version" | "config">): number {
  const { group_replication_transaction_size_limit: chosen = "" } = config;
  const kind = knownFor(version)["group_replication_transaction_size_limit"] ?? { type: "integer" };
  const limit = valueOf(chosen, kind);
  const bytes = typeof limit === "number" ? limit : transactionBytes.default;
  const most = bytes === 0 ? transactionBytes.most : bytes;
  return Math.max(leastMebibytes, ownMebibytes + Math.ceil((2 * most) / mebibyte));
}
