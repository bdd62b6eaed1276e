// Sessions with members: with TLS where they require it, and where both sides can. Members that do not require it yet may have others that do.
import { openSession, type Session, type SessionArgs } from "./connection";
import { peerTls } from "./peer-tls";

/** What node-postgres says of a server without TLS. */
const withoutTls = "The server does not support SSL connections";

/** Connects. By a socket it is never with TLS. */
export async function openPeer(args: SessionArgs, tls = peerTls()): Promise<Session> {
  if (tls === undefined || args.host.startsWith("/")) return openSession(args);
  try {
    return await openSession({ ...args, tls: tls.options });
  } catch (error) {
    const isWithout = error instanceof Error && error.message === withoutTls;
    if (tls.isRequired || !isWithout) throw error;
    return openSession(args);
  }
}

/** Connects, does it, and closes the connection again. */
export async function withPeer<T>(args: SessionArgs, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await openPeer(args);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}
