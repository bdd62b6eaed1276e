// What makes a copy of another Database's data the new one's own: passwords of the roles that members and Jobs use, and no subscription that
// would take the place of the former server's at its publisher.
import { escapeIdentifier, escapeLiteral } from "pg";
import { z } from "zod";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import { ensureRoles, iterationsOf, makerSettings } from "../server/roles";
import { verifierOf } from "../server/verifier";
import type { Credentials } from "../settings";

/** What the session begins with: what carries a verifier is not logged. */
export const takeOverSettings = {
  ...makerSettings,
  log_statement: "none",
  log_min_duration_statement: "-1",
  log_min_error_statement: "panic",
} as const;

/** The roles whose passwords change; those of applications and of the exporter are set by the init Job. */
export interface Owners {
  readonly superuser: Credentials;
  readonly replication: Credentials;
}

const Names = z.array(z.tuple([z.string()]));

/** See the header. `session`: the superuser's. */
export async function takeOver(session: Session, { superuser, replication }: Owners, log: Log): Promise<void> {
  const iterations = await iterationsOf(session);
  for (const { user, password } of [superuser, replication]) {
    const verifier = await verifierOf(password, iterations);
    await session.run(`ALTER ROLE ${escapeIdentifier(user)} PASSWORD ${escapeLiteral(verifier)}`);
  }
  // no client gets in here, so they are made in any case
  await ensureRoles({ session, password: superuser.password, letsIn: () => Promise.resolve(false) });
  log("the roles of members and Jobs have their new passwords");
  const stopped = Names.parse(
    await session.rows("UPDATE pg_catalog.pg_subscription SET subenabled = false WHERE subenabled RETURNING subname"),
  );
  if (stopped.length > 0)
    log(`disabled subscriptions: ${stopped.flat().join(", ")}; enable those that are to run here`);
}
