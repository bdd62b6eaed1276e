// Dumps databases with the client of this image, in one transaction, and loads them into a server of this pod.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TlsMode } from "../../../contract/import";
import { piped, type Program } from "../../import/pipes";
import { writeAuthorities, type Source } from "../../import/source";
import { log } from "../../log";
import { cleanEnvironment } from "../../supervise/run";
import { dumpFilter } from "./stream";

/** What is transferred, and where to. */
export interface Transfer {
  readonly source: Source;
  /** Who loads it, and is the definer of what needs one. */
  readonly app: { readonly user: string; readonly password: string };
  /** Of the server that it is loaded into. */
  readonly socket: string;
  /** For files that go with the pod. */
  readonly directory: string;
}

const sslModes = { Verify: "VERIFY_IDENTITY", Require: "REQUIRED", Disable: "DISABLED" } as const;

const filesIn = (directory: string): Readonly<Record<"authorities" | "source" | "target", string>> => ({
  authorities: join(directory, "authorities.pem"),
  source: join(directory, "source.cnf"),
  target: join(directory, "target.cnf"),
});

/** The options of a client, as a file: arguments can be read by anyone on the node. */
export function optionsOf(options: Readonly<Record<string, string>>): string {
  const lines = Object.entries(options).map(([name, value]) => `${name}="${value.replaceAll("\\", "\\\\")}"`);
  return `[client]\n${lines.join("\n")}\n`;
}

/** The program that dumps. Accounts, positions in binary logs and tablespaces are left out: they need rights, and are the other server's. */
export const dumpOf = ({ source, directory }: Transfer): Program => ({
  command: "mysqldump",
  args: [
    `--defaults-file=${filesIn(directory).source}`,
    ...["--single-transaction", "--quick", "--hex-blob", "--routines", "--triggers", "--events"],
    ...[
      "--no-tablespaces",
      "--set-gtid-purged=OFF",
      "--skip-column-statistics",
      "--skip-lock-tables",
      "--skip-add-locks",
    ],
    ...["--default-character-set=utf8mb4", "--max-allowed-packet=1G", "--databases", ...source.databases],
  ],
  environment: cleanEnvironment(),
});

/** The program that loads. Without `--binary-mode` a text could be taken for a command of the client. */
export const loadOf = ({ directory }: Pick<Transfer, "directory">): Program => ({
  command: "mysql",
  args: [
    `--defaults-file=${filesIn(directory).target}`,
    ...["--binary-mode", "--max-allowed-packet=1G", "--default-character-set=utf8mb4"],
  ],
  environment: cleanEnvironment(),
});

/** See the header. Answers with the rows that passed, by `database.table`. */
export async function transfer(what: Transfer): Promise<ReadonlyMap<string, number>> {
  const { source, app, socket, directory } = what;
  const files = filesIn(directory);
  await writeAuthorities(source, files.authorities);
  const { host, port, username, password, tls } = source;
  const there = { host, port: String(port), user: username, password, "ssl-mode": sslModes[tls], protocol: "TCP" };
  // without encryption a password is sent by the server's own key
  const known: Readonly<Record<TlsMode, Readonly<Record<string, string>>>> = {
    Verify: { "ssl-ca": files.authorities },
    Require: {},
    Disable: { "get-server-public-key": "1" },
  };
  await writeFile(files.source, optionsOf({ ...there, ...known[tls] }), { mode: 0o600 });
  await writeFile(files.target, optionsOf({ socket, user: app.user, password: app.password }), { mode: 0o600 });
  const filter = dumpFilter(`\`${app.user}\`@\`%\``);
  const say = (message: string): void => {
    log(message);
  };
  await piped(dumpOf(what), loadOf(what), say, (chunks) => filter.pass(chunks));
  return filter.rows;
}
