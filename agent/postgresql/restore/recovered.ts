// A session on a server that finishes a copy, once all WAL is replayed that was asked for.
import { textOf } from "../../log";
import type { Session, SessionArgs } from "../server/connection";
import { ArrivedLate } from "./hole";
import type { PrivateServer } from "./private-server";
import type { Recovery } from "./replaying";

/** WAL is missing, or is broken, without which what was asked for is not reached. */
export class NotReached extends Error {}

/** Whether it is reached cannot be told: the storage does not answer, mostly. */
export class NotJudged extends Error {}

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
    await requireReached(server.said, recovery);
    throw error;
  }
  try {
    await requireReached(server.said, recovery);
    await judging(recovery?.check(session));
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

async function requireReached(said: string, recovery: Recovery | undefined): Promise<void> {
  const why = await judging(recovery?.problem(said));
  if (why !== undefined) throw new NotReached(why);
}

async function judging<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ArrivedLate ? error : new NotJudged(textOf(error), { cause: error });
  }
}
