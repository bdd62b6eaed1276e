// Servers that no one else reaches, of either version, with the files of a conversion.
import { output } from "../../restore/output";
import { openSession, socketDirectory, type Session, type SessionArgs } from "../server/connection";
import { formerSettings, serverArguments, withRoom } from "../restore/decide";
import { placesOf, preparePlaces } from "../restore/places";
import { PrivateServer } from "../restore/private-server";
import { takeOverSettings } from "../restore/take-over";
import { drillSettings } from "../verify/settings";
import type { Open } from "./collations";
import { locksFor, programOf } from "./reading";

/** What is done while one runs. */
export interface Serving {
  /** With the database `postgres`. */
  readonly session: Session;
  readonly open: Open;
}

/** With which files, and of which version. */
export interface Server {
  readonly data: string;
  readonly major: string;
  readonly superuser: string;
}

/** Has the server take statements once it has replayed its WAL, and end with all of it on disk. */
export async function serving<Result>(
  { data, major, superuser }: Server,
  work: (serving: Serving) => Promise<Result>,
): Promise<Result> {
  const places = placesOf(data, "upgrade");
  await preparePlaces(places, superuser);
  const control = await output(programOf(major, "pg_controldata"), ["--pgdata", data]);
  const former = withRoom(formerSettings(control));
  const locks = { max_locks_per_transaction: String(locksFor(Number(former.max_locks_per_transaction), 0)) };
  const settings = { ...former, ...locks, ...drillSettings(control, major) };
  const server = new PrivateServer(serverArguments(places, settings), programOf(major, "postgres"));
  const args: SessionArgs = { host: socketDirectory, user: superuser, program: "upgrade", settings: takeOverSettings };
  try {
    const session = await server.session(args);
    const result = await work({ session, open: (database) => openSession({ ...args, database }) });
    session.close();
    await server.stop();
    return result;
  } finally {
    await server.abandon();
  }
}
