// The statements by which a member enters and leaves its group.
import { escape } from "mysql2";
import type { MemberSettings } from "../settings";
import { replicationUser } from "./accounts";
import type { OwnServer } from "./connection";
import { expelAfterSeconds, hostOf } from "./options";

/** Entering a group waits for the others; leaving it for what is under way. In milliseconds. */
const patienceMs = 120_000;
const quickMs = 5_000;

/** How to enter. */
export interface Entry {
  /** The UUID of the group. */
  readonly group: string;
  /** Pods to ask. */
  readonly seeds: readonly string[];
  /** Whether to begin with a copy of all data. */
  readonly clone: boolean;
}

/** Joins a group that runs. Throws what the server says where that fails. */
export async function joinGroup(server: OwnServer, settings: MemberSettings, entry: Entry): Promise<void> {
  await prepare(server, settings, entry);
  await server.query(startStatement(settings), patienceMs);
}

/** Starts the group with this member alone. */
export async function bootstrapGroup(server: OwnServer, settings: MemberSettings, group: string): Promise<void> {
  await prepare(server, settings, { group, seeds: [settings.self], clone: false });
  await server.query("SET GLOBAL group_replication_bootstrap_group = ON", quickMs);
  try {
    await server.query(startStatement(settings), patienceMs);
  } finally {
    await server.query("SET GLOBAL group_replication_bootstrap_group = OFF", quickMs);
  }
}

/** Shuts clients out and leaves the group, so that the others go on without waiting for this member. */
export async function leaveGroup(server: OwnServer): Promise<void> {
  await closeServer(server);
  await server.query("STOP GROUP_REPLICATION", patienceMs);
}

/** Ends the connections of clients and lets no more in. */
export async function closeServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL offline_mode = ON", quickMs);
}

/** Lets nobody write any more, whatever rights they have; returns once what was under way has ended. */
export async function sealServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL super_read_only = ON", patienceMs);
}

/** Lets clients in. */
export async function openServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL offline_mode = OFF", quickMs);
}

/**
 * Makes the group look at once whether a member that it does not hear of is to be dropped. By itself it looks every 15 seconds only, and a
 * setting that is set, to whatever value, wakes what looks.
 */
export async function hurrySuspicions(server: OwnServer): Promise<void> {
  await server.query(`SET GLOBAL group_replication_member_expel_timeout = ${expelAfterSeconds}`, quickMs);
}

/** Makes another member the primary; transactions that are open after two seconds are ended. */
export async function handOver(server: OwnServer, id: string, withinMs: number): Promise<void> {
  await server.query(`SELECT group_replication_set_as_primary(${escape(id)}, 2)`, withinMs);
}

async function prepare(server: OwnServer, settings: MemberSettings, { group, seeds, clone }: Entry): Promise<void> {
  const addresses = seeds.map((pod) => `${hostOf(settings, pod)}:${settings.serverPort}`).join(",");
  // the server's default, which nothing reaches: a copy only where the others have not kept what is missing
  const threshold = clone ? "1" : "9223372036854775807";
  // an attempt to begin a group that broke off may have left it on: the member would begin another one in place of joining
  await server.query("SET GLOBAL group_replication_bootstrap_group = OFF", quickMs);
  await server.query(`SET GLOBAL group_replication_group_name = ${escape(group)}`, quickMs);
  await server.query(`SET GLOBAL group_replication_group_seeds = ${escape(addresses)}`, quickMs);
  await server.query(`SET GLOBAL group_replication_clone_threshold = ${threshold}`, quickMs);
}

// The server masks the password in its logs, and keeps it in no table.
const startStatement = ({ passwords }: MemberSettings): string =>
  `START GROUP_REPLICATION USER = ${escape(replicationUser)}, PASSWORD = ${escape(passwords.replication)}`;
