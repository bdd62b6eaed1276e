// The accounts, besides the application's, by which other pods connect: on a primary, that of the init Job, and whether the superuser may.
import { z } from "zod";
import { log, textOf } from "../log";
import type { SuperuserAccess } from "./configuration";
import {
  initializerStatements,
  initializerUser,
  networkSuperuser,
  networkSuperuserStatements,
} from "./server/accounts";
import type { OwnServer } from "./server/connection";

/** Asks which of them exist. */
export const accountsStatement = `
  SELECT User AS user, account_locked AS locked FROM mysql.user WHERE Host = '%' AND User IN ('root', '${initializerUser}')`;

const Rows = z.array(z.object({ user: z.string(), locked: z.enum(["Y", "N"]) }));

/** What exists. */
export interface NetworkAccountsView {
  /** Whether the init Job can connect. */
  readonly hasInitializer: boolean;
  /** Missing where a person dropped the account. */
  readonly superuser: "open" | "locked" | "missing";
}

/** What an answer to `accountsStatement` says. Throws where it is not one. */
export function accountsIn(answer: unknown): NetworkAccountsView {
  const locked = new Map(Rows.parse(answer).map((row) => [row.user, row.locked === "Y"]));
  const root = locked.get("root");
  return {
    hasInitializer: locked.get(initializerUser) === false,
    superuser: root === undefined ? "missing" : root ? "locked" : "open",
  };
}

/**
 * The statements that are missing. A group that an earlier image created has the superuser open to the network, and its users may rely on
 * that: unless the spec says otherwise, it stays so.
 */
export function accountChanges(
  { hasInitializer, superuser }: NetworkAccountsView,
  wanted: SuperuserAccess | undefined,
  password: string,
): string[] {
  return [
    ...(hasInitializer ? [] : initializerStatements(password)),
    ...(wanted === "Local" && superuser === "open" ? [`ALTER USER ${networkSuperuser} ACCOUNT LOCK`] : []),
    ...(wanted === "Network" && superuser === "missing" ? networkSuperuserStatements(password) : []),
    ...(wanted === "Network" && superuser !== "open" ? [`ALTER USER ${networkSuperuser} ACCOUNT UNLOCK`] : []),
  ];
}

const lookMs = 5_000;
const patienceMs = 10_000;

/** What it needs of a member. */
export interface NetworkAccountsArgs {
  readonly server: Pick<OwnServer, "query">;
  /** Of the superuser, and of the init Job's account. */
  readonly password: string;
  /** In milliseconds, from any start. Default: of this process. */
  readonly now?: () => number;
}

/** See the header. Changes reach the other members like any other write. */
export class NetworkAccounts {
  readonly #args: NetworkAccountsArgs;
  #lookedAt = -Infinity;

  constructor(args: NetworkAccountsArgs) {
    this.#args = args;
  }

  /** A replica has nothing to do: as primary it looks at once. */
  asReplica(): void {
    this.#lookedAt = -Infinity;
  }

  /** Failures are logged, and the next look tries again. */
  async asPrimary(wanted: SuperuserAccess | undefined): Promise<void> {
    const now = (this.#args.now ?? (() => performance.now()))();
    if (now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    const { server, password } = this.#args;
    try {
      const view = accountsIn(await server.query(accountsStatement, patienceMs));
      const changes = accountChanges(view, wanted, password);
      for (const statement of changes) await server.query(statement, patienceMs);
      if (changes.length > 0) log("the accounts of other pods were changed", { superuser: wanted ?? view.superuser });
    } catch (error) {
      log("the accounts of other pods cannot be checked", { why: textOf(error) });
    }
  }
}
