// What makes a copy a server's data of its own: its WAL is replayed by a server that no one else reaches, and there it gets new passwords.
import { required } from "../../environment";
import { output } from "../../restore/output";
import type { Log } from "../log";
import { socketDirectory, type Session } from "../server/connection";
import { formerSettings, serverArguments, withRoom } from "./decide";
import { placesOf, preparePlaces } from "./places";
import { PrivateServer } from "./private-server";
import { sessionAfter } from "./recovered";
import type { Recovery } from "./replaying";
import { renewIdentifier } from "./system-identifier";
import { takeOver, takeOverSettings } from "./take-over";

/** `recovery`: how WAL that is not in the copy is replayed. Undefined where all of it is there. */
export async function finish(copy: string, recovery: Recovery | undefined, log: Log): Promise<void> {
  const places = placesOf(copy, "restore");
  const superuser = required("SUPERUSER");
  await preparePlaces(places, superuser);
  const former = formerSettings(await output("pg_controldata", ["--pgdata", copy]));
  log("replaying its WAL");
  const replaying = new PrivateServer(
    serverArguments(places, { ...withRoom(former), ...recovery?.settings }),
    "postgres",
    recovery?.environment,
  );
  const isAnyPrepared = await during(replaying, recovery, hasPrepared);
  await renewIdentifier(copy, log);
  // the next one also notes what the WAL is written with, which pg_resetwal does not know: a member begins as a standby, and would refuse it, and
  // take on more than it is given where that is noted without need
  const last = serverArguments(places, isAnyPrepared ? withRoom(former) : former);
  await during(new PrivateServer(last), undefined, async (session) => {
    const wanted = {
      superuser: { user: superuser, password: required("SUPERUSER_PASSWORD") },
      replication: { user: required("REPLICATION_USER"), password: required("REPLICATION_PASSWORD") },
    };
    await takeOver(session, wanted, log);
  });
}

/** Whether there are prepared transactions: they stay until they are committed or rolled back. */
const hasPrepared = async (session: Session): Promise<boolean> =>
  (await session.rows("SELECT gid FROM pg_catalog.pg_prepared_xacts LIMIT 1")).length > 0;

/** Does it once the server takes statements, and ends the server. */
async function during<Result>(
  server: PrivateServer,
  recovery: Recovery | undefined,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const user = required("SUPERUSER");
  try {
    const begin = { host: socketDirectory, user, program: "restore", settings: takeOverSettings };
    const session = await sessionAfter(server, begin, recovery);
    const result = await work(session);
    session.close();
    await server.stop();
    return result;
  } finally {
    await server.abandon();
  }
}
