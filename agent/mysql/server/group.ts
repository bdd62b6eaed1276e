// The statements by which a member enters and leaves its group.
import { escape } from "mysql2";
import type { MemberSettings } from "../settings";
import { replicationUser } from "./accounts";
import type { OwnServer } from "./connection";
import { expelAfterSeconds, hostOf } from "./options";

/** Entering a group waits for the others; leaving it for what is in progress. In milliseconds. */
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

/** Shuts clients out and leaves the group, so that the others continue without waiting for this member. */
export async function leaveGroup(server: OwnServer): Promise<void> {
  await closeServer(server);
  await server.query("STOP GROUP_REPLICATION", patienceMs);
}

/** Ends the connections of clients and lets no more in. */
export async function closeServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL offline_mode = ON", quickMs);
}

/** Refuses all writes, whatever rights clients have; returns once those in progress have ended. */
export async function sealServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL super_read_only = ON", patienceMs);
}

/** Lets clients in. */
export async function openServer(server: OwnServer): Promise<void> {
  await server.query("SET GLOBAL offline_mode = OFF", quickMs);
}

/**
 * Makes the group check at once whether to drop a member that it does not hear from. By itself it checks only every 15 seconds, and any
 * change of a setting, to whatever value, wakes the check.
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
  // an interrupted attempt to begin a group may have left it on: the member would begin another one instead of joining
  await server.query("SET GLOBAL group_replication_bootstrap_group = OFF", quickMs);
  await server.query(`SET GLOBAL group_replication_group_name = ${escape(group)}`, quickMs);
  await server.query(`SET GLOBAL group_replication_group_seeds = ${escape(addresses)}`, quickMs);
  await server.query(`SET GLOBAL group_replication_clone_threshold = ${threshold}`, quickMs);
}

// The server masks the password in its logs, and keeps it in no table.
const startStatement = ({ passwords }: MemberSettings): string =>
  `START GROUP_REPLICATION USER = ${escape(replicationUser)}, PASSWORD = ${escape(passwords.replication)}`;
