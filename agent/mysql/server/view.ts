// Reads what the member's own server says about itself and its group.
import { z } from "zod";
import type { Membership, ServerView } from "../observation";
import type { OwnServer } from "./connection";

/** How long an answer may take, in milliseconds. */
const patienceMs = 3_000;

const Own = z
  .array(
    z.object({
      id: z.string(),
      offline: z.number(),
      executed: z.string(),
      received: z.string().nullable(),
      committing: z.number(),
      purged: z.number(),
      view: z.string().nullable(),
      group: z.string().nullable(),
    }),
  )
  .length(1);
const Members = z.array(z.object({ id: z.string(), host: z.string(), state: z.string(), role: z.string() }));
type Members = z.infer<typeof Members>;

const ownStatement = `
  SELECT @@server_uuid AS id, @@GLOBAL.offline_mode AS offline, @@GLOBAL.gtid_executed AS executed,
    @@GLOBAL.group_replication_group_name AS \`group\`, @@GLOBAL.gtid_purged <> '' AS purged,
    (SELECT RECEIVED_TRANSACTION_SET FROM performance_schema.replication_connection_status
      WHERE CHANNEL_NAME = 'group_replication_applier') AS received,
    (SELECT COUNT(*) FROM performance_schema.threads
      WHERE PROCESSLIST_STATE = 'waiting for handler commit') AS committing,
    (SELECT VIEW_ID FROM performance_schema.replication_group_member_stats
      WHERE MEMBER_ID = @@server_uuid LIMIT 1) AS view`;
const membersStatement = `
  SELECT MEMBER_ID AS id, MEMBER_HOST AS host, MEMBER_STATE AS state, MEMBER_ROLE AS role
    FROM performance_schema.replication_group_members`;

/** The server's view. Throws where it does not answer. */
export async function readServer(server: OwnServer, fresh: boolean): Promise<ServerView> {
  const [own] = Own.parse(await server.query(ownStatement, patienceMs));
  const members = Members.parse(await server.query(membersStatement, patienceMs));
  if (own === undefined) throw new Error("the server says nothing about itself");
  const transactions = [own.executed, own.received ?? ""]
    .filter((set) => set !== "")
    .join(",")
    .replaceAll(/\s/g, "");
  return {
    kind: "up",
    fresh,
    membership: membershipOf(own.id, own.view ?? undefined, members),
    transactions,
    committing: own.committing > 0,
    offline: own.offline !== 0,
    purged: own.purged !== 0,
    ...(own.group !== null && own.group !== "" && { group: own.group }),
  };
}

/** What the tables of the group mean for the member with this identifier. */
export function membershipOf(id: string, view: string | undefined, members: Members): Membership {
  const own = members.find((member) => member.id === id);
  const [run, number] = view?.split(":") ?? [];
  const unreachable = members.filter(({ state }) => state === "UNREACHABLE").length;
  return {
    state: stateOf(own?.state),
    role: own?.role === "PRIMARY" || own?.role === "SECONDARY" ? own.role : undefined,
    view: run,
    ...(number !== undefined && { viewNumber: Number(number) }),
    quorum: 2 * unreachable < members.length,
    members: members.map(({ id: member, host, state, role }) => ({
      name: host.split(".")[0] ?? host,
      id: member,
      state,
      role,
    })),
  };
}

function stateOf(state: string | undefined): Membership["state"] {
  return state === "RECOVERING" || state === "ONLINE" || state === "ERROR" ? state : "OFFLINE";
}
