// A session on a server that finishes a copy, once all WAL is replayed that was asked for.
import type { Session, SessionArgs } from "../server/connection";
import type { PrivateServer } from "./private-server";
import type { Recovery } from "./stored";

/** WAL is missing, or is broken, without which what was asked for is not reached. */
export class NotReached extends Error {}

/** Throws, saying why, where it is not replayed. `recovery`: how WAL that is not in the copy is replayed. Undefined where all of it is there. */
export async function sessionAfter(
  server: Pick<PrivateServer, "session" | "said">,
  args: SessionArgs,
  recovery?: Recovery,
): Promise<Session> {
  let session: Session;
  try {
    session = await server.session(args);
  } catch (error) {
    const why = await recovery?.problem(server.said);
    throw why === undefined ? error : new NotReached(why);
  }
  const why = await recovery?.problem(server.said);
  if (why !== undefined) throw new NotReached(why);
  await recovery?.check(session);
  return session;
}
