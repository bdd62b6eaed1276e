// PostgreSQL, by the driver `pg`.
import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import { z } from "zod";
import { within } from "../load/within";
import { StatementRefused, type Session, type Target, type TestedEngine } from "./engine";

const Rows = z.array(z.array(z.unknown()));

export const postgresql: TestedEngine = {
  name: "postgresql",
  replications: ["asynchronous", "synchronous"],
  specOf: (replication) => ({ highAvailability: { synchronousCommit: replication === "synchronous" } }),
  process: "postgres",
  agent: "patroni",
  connect,
  minorUpgrade: "next version",
  versionParameter: "server_version",
  settingStatement: (parameter) => `show ${parameter}`,
  // an odd number of bytes, which the server does not show in a greater unit
  restartParameter: { name: "track_activity_query_size", valueOf: (step) => String(1025 + step * 256) },
  begin: ["begin isolation level serializable"],
  appendStatement: (table, key, value) =>
    `insert into ${table} values (${key}, '${value}') on conflict (number) do update set list = ${table}.list || ',${value}'`,
  refusedCommit: "aborted",
  async isReadOnly(session) {
    const [[said] = []] = await session.run("show transaction_read_only");
    return said === "on";
  },
  async isReplicating(replication, { primary, replicas, annotationsOf }) {
    if (replication !== "synchronous") return true;
    const [[names] = []] = await primary.run("show synchronous_standby_names");
    // a star waits for any replica that comes: none has been found in step yet
    if (typeof names !== "string" || names === "" || names === "*") return false;
    // a member that has come back is noted some seconds later as one whose confirmation counts, and that may be elected
    const { sync_standby: noted = "" } = await annotationsOf("sync");
    return noted.split(",").length === replicas;
  },
};

async function connect({ username, ...target }: Target, withinMs: number): Promise<Session> {
  // a socket of our own, to end it whatever the driver thinks of its state
  const socket = new Socket();
  // new Databases take nothing else over the network; the measurement is not about who they are
  const ssl = { rejectUnauthorized: false };
  const client = new Client({ ...target, user: username, ssl, stream: () => socket });
  client.on("error", () => undefined);
  const destroy = (): void => {
    socket.destroy();
  };
  try {
    await within(withinMs, client.connect(), destroy);
  } catch (error) {
    destroy();
    throw error;
  }
  return {
    destroy,
    async run(statement) {
      try {
        const { rows } = await client.query({ text: statement, rowMode: "array" });
        return Rows.parse(rows);
      } catch (error) {
        if (error instanceof DatabaseError && error.severity === "ERROR")
          throw new StatementRefused(error.message, { cause: error });
        throw error;
      }
    },
  };
}
