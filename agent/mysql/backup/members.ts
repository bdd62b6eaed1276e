// The members, as the Job of a backup reaches them.
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { clockOf } from "../archive/member";
import { chooseSource, type Position } from "../copies/source";
import { connectTo, type RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";

/** By the account by which members copy from each other. */
export const memberAt = (host: string): RemoteArgs => ({
  host,
  port: requiredNumber("SERVER_PORT"),
  user: replicationUser,
  password: required("REPLICATION_PASSWORD"),
});

const primary = (): RemoteArgs => memberAt(required("PRIMARY_HOST"));

/** Whom to copy from. */
export const sourceOfJob = (): Promise<Position> => chooseSource(memberAt(required("REPLICA_HOST")), primary());

/** The time by the clock of the primary, as what it commits is; by the own one where it does not answer. */
export async function primaryTime(): Promise<Date> {
  try {
    const connection = await connectTo(primary());
    try {
      return new Date(Math.ceil((await clockOf(connection)) / 1000));
    } finally {
      connection.destroy();
    }
  } catch (error) {
    log("the primary does not tell its time", { why: textOf(error) });
    return new Date();
  }
}
