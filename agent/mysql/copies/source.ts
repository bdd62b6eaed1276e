// From which member a backup is taken: a replica that keeps up, so that the primary is spared, else the primary.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { log, textOf } from "../../log";
import { connectTo, type RemoteArgs } from "../remote";

/** What a member reports. */
const Position = z.object({
  /** Its own host: the next connection to a Service may reach another member. */
  host: z.string(),
  group: z.string(),
  server: z.string(),
  transactions: z.string(),
  /** How many transactions it has received and not executed. */
  behind: z.coerce.number(),
  /** How many databases there are besides the server's own. */
  databases: z.coerce.number(),
  /** Bytes of its tablespaces. */
  bytes: z.coerce.number(),
  /** The capacity of its redo log, in bytes. */
  redo: z.coerce.number(),
  /** Settings that a server must have in common with one that it copies from. */
  settings: z.record(z.string(), z.string()),
});
export type Position = z.infer<typeof Position>;

/** The most transactions that a replica may be behind. */
export const maxBehind = 1_000;

const patienceSeconds = { replica: 60, any: 600 };

/** The server's own databases, as a list in SQL. */
const systemDatabases = "'mysql', 'sys', 'information_schema', 'performance_schema'";

/** INNODB_TABLESPACES leaves out the system tablespace, which has tables where innodb_file_per_table was off. */
export const positionStatement = `
  SELECT @@GLOBAL.report_host AS host, @@GLOBAL.group_replication_group_name AS \`group\`, @@GLOBAL.version AS server,
    REPLACE(@@GLOBAL.gtid_executed, '\\n', '') AS transactions,
    COALESCE((SELECT COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE FROM performance_schema.replication_group_member_stats
      WHERE MEMBER_ID = @@server_uuid), 0) AS behind,
    (SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN (${systemDatabases})) AS \`databases\`,
    (SELECT SUM(ALLOCATED_SIZE) FROM information_schema.INNODB_TABLESPACES) +
      (SELECT SUM(TOTAL_EXTENTS * EXTENT_SIZE) FROM information_schema.FILES WHERE TABLESPACE_NAME = 'innodb_system') AS bytes,
    @@GLOBAL.innodb_redo_log_capacity AS redo,
    JSON_OBJECT('character_set_server', @@GLOBAL.character_set_server, 'collation_server', @@GLOBAL.collation_server,
      'character_set_filesystem', @@GLOBAL.character_set_filesystem) AS settings`;

/** Why a member is not copied from, or its position. */
export type Candidate = Position | { readonly unfit: string };

/** Asks a member of which a backup is wanted: one without databases is empty, and a backup of it would pass for one. */
async function candidateOf(args: RemoteArgs): Promise<Candidate> {
  const found = await positionOf(args);
  return "unfit" in found || found.databases > 0 ? found : { unfit: `${found.host} has no database yet` };
}

/** Asks a member. */
export async function positionOf(args: RemoteArgs): Promise<Candidate> {
  try {
    const connection = await connectTo(args);
    try {
      const [rows] = await connection.query({ sql: positionStatement, timeout: 15_000 });
      const [position] = z.array(Position).length(1).parse(rows);
      return position ?? { unfit: "it does not answer" };
    } finally {
      connection.destroy();
    }
  } catch (error) {
    return { unfit: textOf(error) };
  }
}

/** The better of two: a replica that keeps up, else the primary. Undefined while neither is suitable. */
export function better(replica: Candidate, primary: Candidate): Position | undefined {
  if (!("unfit" in replica) && replica.behind <= maxBehind) return replica;
  return "unfit" in primary ? undefined : primary;
}

/** Waits for the primary, and for a replica as long as one may still appear. Throws where none does. */
export async function chooseSource(replica: RemoteArgs, primary: RemoteArgs): Promise<Position> {
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1_000;
  let why = "";
  while (elapsed() < patienceSeconds.any) {
    const [one, other] = await Promise.all([candidateOf(replica), candidateOf(primary)]);
    const found = better(one, other);
    const isReplica = found !== undefined && found === one;
    if (found !== undefined && (isReplica || elapsed() > patienceSeconds.replica)) {
      log("copying", { from: found.host, behind: found.behind });
      return found;
    }
    const said = "unfit" in one ? one.unfit : `${one.host} is ${one.behind} transactions behind`;
    if (said !== why) log("waiting for a replica that keeps up", { why: said });
    why = said;
    await delay(1_000);
  }
  throw new Error(`no member accepted connections within ${patienceSeconds.any} s: ${why}`);
}
