// The server that takes the data in: an empty one of this image's version, in a place that no member uses yet, which no one else reaches.
import { escapeIdentifier } from "pg";
import { required } from "../../environment";
import { output } from "../../restore/output";
import { setUp } from "../initialize";
import type { Log } from "../log";
import { serverArguments } from "../restore/decide";
import { placesOf, preparePlaces } from "../restore/places";
import { PrivateServer } from "../restore/private-server";
import { takeOver, takeOverSettings } from "../restore/take-over";
import { socketDirectory, withSession, type Session } from "../server/connection";
import { beginCluster } from "../server/roles";
import type { Credentials } from "../settings";

/** As Patroni makes a new cluster: images/postgresql/patroni/bootstrap.yml has the same. */
export const initdbOptions = [
  "--encoding=UTF8",
  "--locale=C.UTF-8",
  "--data-checksums",
  "--auth-local=peer",
  "--auth-host=scram-sha-256",
];

/** Beside those of every private server: what is cut off here begins again from nothing, so nothing need be on disk before the end. */
const loadingSettings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  // it lies on the data volume
  max_wal_size: "256MB",
  maintenance_work_mem: "64MB",
};

/** Roles and database of the new Database. */
export interface Owners {
  readonly superuser: Credentials;
  readonly replication: Credentials;
  readonly app: Credentials;
  readonly database: string;
  readonly monitor: Credentials;
}

/** From the environment of the pod. */
export const owners = (): Owners => ({
  superuser: { user: required("SUPERUSER"), password: required("SUPERUSER_PASSWORD") },
  replication: { user: required("REPLICATION_USER"), password: required("REPLICATION_PASSWORD") },
  app: { user: required("APP_USER"), password: required("APP_PASSWORD") },
  database: required("APP_DATABASE"),
  monitor: { user: required("MONITOR_USER"), password: required("MONITOR_PASSWORD") },
});

/** Makes the server in the directory, has the work done with roles and an empty database there, and ends it cleanly. */
export async function inNewServer(data: string, own: Owners, log: Log, work: () => Promise<void>): Promise<void> {
  const { superuser, app } = own;
  log("making an empty server");
  await output("initdb", [`--pgdata=${data}`, `--username=${superuser.user}`, "--no-sync", ...initdbOptions]);
  const places = placesOf(data, "import");
  await preparePlaces(places, superuser.user, [app.user]);
  const server = new PrivateServer(serverArguments(places, loadingSettings));
  try {
    const settings = takeOverSettings;
    const session = await server.session({ host: socketDirectory, user: superuser.user, program: "import", settings });
    await beginCluster(session);
    // as Patroni does where it makes a cluster
    await session.run(`ALTER ROLE ${escapeIdentifier(own.replication.user)} LOGIN`);
    await takeOver(session, own, log);
    await setUp(session, own, log);
    session.close();
    await work();
    await server.stop();
  } finally {
    await server.abandon();
  }
}

/** Does it in the application's database: as the superuser, or as the application, with its password. */
export const inDatabase = <T>(
  { database }: Owners,
  { user, password }: { readonly user: string; readonly password?: string },
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  withSession(
    { host: socketDirectory, user, ...(password !== undefined && { password }), database, program: "import" },
    work,
  );
