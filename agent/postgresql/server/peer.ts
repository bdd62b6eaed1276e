// Sessions with members: with TLS where they require it, and where both sides can. Members that do not require it yet may have others that do.
import { existsSync, readFileSync } from "node:fs";
import { tlsFile } from "../../../contract/tls";
import { openSession, type Session, type SessionArgs } from "./connection";
import { peerTls, trusting } from "./peer-tls";

/** What node-postgres says of a server without TLS. */
const withoutTls = "The server does not support SSL connections";

/** Connects. `file`: the authorities, in a member that has a certificate, whatever it requires. */
export async function openPeer(args: SessionArgs, file = tlsFile("authorities")): Promise<Session> {
  const required = peerTls();
  if (required !== undefined || !existsSync(file)) return openSession({ ...args, tls: required });
  try {
    return await openSession({ ...args, tls: trusting(readFileSync(file, "utf8")) });
  } catch (error) {
    if (!(error instanceof Error && error.message === withoutTls)) throw error;
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
